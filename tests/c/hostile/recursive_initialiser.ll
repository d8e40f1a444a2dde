; EXPECT sc:FAIL sc:deadlock:PASS
target triple = "x86_64-pc-linux-gnu"
%union.pthread_mutex_t = type { %struct.__pthread_mutex_s }
%struct.__pthread_mutex_s = type { i32, i32, i32, i32, i32, i16, i16, %struct.list }
%struct.list = type { ptr, ptr }
@mutex = global %union.pthread_mutex_t { %struct.__pthread_mutex_s { i32 0, i32 0, i32 0, i32 0, i32 1, i16 0, i16 0, %struct.list zeroinitializer } }, align 8

define i32 @main() {
  %1 = call i32 @pthread_mutex_lock(ptr @mutex)
  %2 = call i32 @pthread_mutex_lock(ptr @mutex)
  call void @reach_error()
  ret i32 0
}

declare i32 @pthread_mutex_lock(ptr)
declare void @reach_error()
