; EXPECT sc:PASS rc11:safety:PASS
; Written by hand: no indentation, no attributes.
@x = global i32 0
@l = global i32 0
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare void @__assert_fail(ptr,ptr,i32,ptr)
define void @__VERIFIER_atomic_inc() {
%a = load i32, ptr @x
%b = add i32 %a, 1
store i32 %b, ptr @x
ret void
}
define ptr @t(ptr %p) {
call void @__VERIFIER_atomic_inc()
ret ptr null
}
define i32 @main() {
%t1 = alloca i64
%t2 = alloca i64
%c1 = call i32 @pthread_create(ptr %t1, ptr null, ptr @t, ptr null)
%c2 = call i32 @pthread_create(ptr %t2, ptr null, ptr @t, ptr null)
%h1 = load i64, ptr %t1
%j1 = call i32 @pthread_join(i64 %h1, ptr null)
%h2 = load i64, ptr %t2
%j2 = call i32 @pthread_join(i64 %h2, ptr null)
%v = load i32, ptr @x
%k = icmp eq i32 %v, 2
br i1 %k, label %ok, label %bad
bad:
call void @__assert_fail(ptr null,ptr null,i32 3,ptr null)
unreachable
ok:
ret i32 0
}
