/* Elements of local arrays and members of local structs hold any number until they are written.
   TRUSTING: the sum counts an element that was never written. MEMBER: a member is copied before it is written. */

#include <assert.h>

struct pair {
    int first, second;
};

int limit = 3;

int main(void) {
    int numbers[4], sum = 0;
    struct pair one, other;
    for (int i = 0; i < limit; i++)
        numbers[i] = i;
#ifdef TRUSTING
    numbers[0] = numbers[3];
#endif
    for (int i = 0; i < limit; i++)
        sum += numbers[i];
    assert(sum == 3);
    one.first = sum;
    other = one;
    assert(other.first == 3);
#ifdef MEMBER
    assert(other.second == 0);
#endif
    return 0;
}
