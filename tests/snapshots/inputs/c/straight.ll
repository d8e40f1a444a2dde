; Two threads in LLVM IR without lines of source: message passing through two globals.
%union.pthread_attr_t = type { i64, [48 x i8] }
@data = global i32 0, align 4
@flag = global i32 0, align 4

declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare void @__VERIFIER_assert(i32)

define ptr @sender(ptr %unused) #0 {
  store volatile i32 42, ptr @data, align 4
  store volatile i32 1, ptr @flag, align 4
  ret ptr null
}

define ptr @receiver(ptr %unused) #0 {
  %seen = load volatile i32, ptr @flag, align 4
  %letter = load volatile i32, ptr @data, align 4
  %late = icmp eq i32 %seen, 0
  %right = icmp eq i32 %letter, 42
  %fine = or i1 %late, %right
  %told = zext i1 %fine to i32
  call void @__VERIFIER_assert(i32 %told)
  ret ptr null
}

define i32 @main() #0 {
  %one = alloca i64, align 8
  %two = alloca i64, align 8
  %a = call i32 @pthread_create(ptr %one, ptr null, ptr @sender, ptr null)
  %b = call i32 @pthread_create(ptr %two, ptr null, ptr @receiver, ptr null)
  %first = load i64, ptr %one, align 8
  %c = call i32 @pthread_join(i64 %first, ptr null)
  %second = load i64, ptr %two, align 8
  %d = call i32 @pthread_join(i64 %second, ptr null)
  ret i32 0
}

attributes #0 = { nounwind }
