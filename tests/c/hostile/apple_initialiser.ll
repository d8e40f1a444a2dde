; EXPECT sc:FAIL sc:deadlock:PASS
target datalayout = "e-m:o-i64:64-i128:128-n32:64-S128"
target triple = "arm64-apple-macosx13.0.0"
%struct._opaque_pthread_mutex_t = type { i64, [56 x i8] }
%struct._opaque_pthread_once_t = type { i64, [8 x i8] }
%struct.pair = type { i32, %struct._opaque_pthread_mutex_t }
@pair = global %struct.pair { i32 3, %struct._opaque_pthread_mutex_t { i64 850045863, [56 x i8] zeroinitializer } }, align 8
@once = global %struct._opaque_pthread_once_t { i64 816954554, [8 x i8] zeroinitializer }, align 8

define void @first() {
  ret void
}

define i32 @main() {
  %1 = call i32 @pthread_once(ptr @once, ptr @first)
  %mutex = getelementptr %struct.pair, ptr @pair, i32 0, i32 1
  %2 = call i32 @pthread_mutex_lock(ptr %mutex)
  %3 = call i32 @pthread_mutex_unlock(ptr %mutex)
  call void @reach_error()
  ret i32 0
}

declare i32 @pthread_once(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare void @reach_error()
