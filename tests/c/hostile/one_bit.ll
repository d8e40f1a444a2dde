; EXPECT sc:FAIL rmo:FAIL
; Any number of one bit is 0, too.
declare void @__assert_fail(ptr, ptr, i32, ptr)
@s = constant [2 x i8] c"x\00"
define i32 @main() {
  %c = freeze i1 undef
  br i1 %c, label %b, label %a
a:
  call void @__assert_fail(ptr @s, ptr @s, i32 1, ptr @s)
  unreachable
b:
  ret i32 0
}
