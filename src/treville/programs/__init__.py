"""The program IR and what makes it: litmus tests, C, unrolling, and compilation of C11 to hardware."""
