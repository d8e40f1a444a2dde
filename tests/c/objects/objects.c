// What objects of C hold, however wide the accesses are that look at them. Every program computes a number; what it
// is, a native run tells.
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#ifdef NATIVE
#include <stdio.h>
#define CHECK(h) printf("%lu\n", (unsigned long)(h))
#else
unsigned long expected;
#define CHECK(h) assert((unsigned long)(h) == expected)
#endif

// A small struct of a lock's owner, by value, while another thread writes its members.
static struct p0_pair { int left, right; } p0_shared = {1, 1};
static pthread_mutex_t p0_lock = PTHREAD_MUTEX_INITIALIZER;
static int p0_equal(struct p0_pair pair) { return pair.left == pair.right; }
static void *p0_count(void *unused) {
    pthread_mutex_lock(&p0_lock);
    p0_shared.left++;
    p0_shared.right++;
    pthread_mutex_unlock(&p0_lock);
    return unused;
}
void p0_main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, p0_count, 0);
    pthread_mutex_lock(&p0_lock);
    int equal = p0_equal(p0_shared);
    pthread_mutex_unlock(&p0_lock);
    pthread_join(thread, 0);
    CHECK(equal * 10 + p0_equal(p0_shared) + p0_shared.left * 100);
}

// Bit-fields over the border of a word, beside other members, of an initialised object.
static struct p1_flags { unsigned a : 7, b : 30, c : 5; signed d : 3; unsigned char e; } p1_flags = {99, 0x2abcdef1, 17, -2, 5};
void p1_main(void) {
    p1_flags.a++;
    p1_flags.d--;
    struct p1_flags copy = p1_flags;
    CHECK(copy.a + copy.b * 3ul + copy.c * 5ul + copy.d * 7 + copy.e * 11);
}

// Arguments of all kinds behind `...`, a struct among them, and a list that is copied and handed on.
struct p2_point { int x; long y; };
static long p2_rest(va_list list) { return va_arg(list, int) * 1000 + *va_arg(list, int *); }
static long p2_sum(int count, ...) {
    va_list list, again;
    va_start(list, count);
    struct p2_point point = va_arg(list, struct p2_point);
    va_copy(again, list);
    long sum = point.x + point.y * 10 + p2_rest(list) * 100 + va_arg(again, int);
    va_end(again);
    va_end(list);
    return sum;
}
void p2_main(void) {
    int number = 8;
    CHECK(p2_sum(3, (struct p2_point){1, 2}, 6, &number));
}

// A large struct through a pointer to a function, which changes its own copy; a pair that comes back.
struct p3_large { long numbers[5]; char last; };
struct p3_pair { long quotient; int rest; };
static struct p3_large p3_given = {{1, 2, 3, 4, 5}, 6};
static struct p3_pair p3_use(struct p3_large large) {
    large.numbers[0] = 50;
    large.last++;
    return (struct p3_pair){large.numbers[0] / large.last, large.numbers[4]};
}
static struct p3_pair (*p3_pointer)(struct p3_large) = p3_use;
void p3_main(void) {
    struct p3_pair *pair = malloc(sizeof *pair);
    *pair = p3_pointer(p3_given);
    CHECK(pair->quotient * 100 + pair->rest * 10 + p3_given.numbers[0] + p3_given.last);
}

// The address of a variable that every thread has its own of.
static _Thread_local struct { short a, b; } p4_own = {3, 4};
static void p4_add(short *number) { *number += 5; }
static void *p4_run(void *given) {
    p4_add(&p4_own.a);
    *(short *)given += p4_own.a;
    return 0;
}
void p4_main(void) {
    pthread_t thread;
    p4_add(&p4_own.b);
    pthread_create(&thread, 0, p4_run, &p4_own.b);
    pthread_join(thread, 0);
    CHECK(p4_own.a * 100 + p4_own.b);
}

// Bytes of a packed struct that other functions see as words, compared, moved and filled in part.
static struct __attribute__((packed)) p5_packed { char tag; int word; short half; long wide; } p5_table[2] = {
    {1, 0x01020304, 0x0506, 0x0708}, {1, 0x01020304, 0x0506, 0x0709}};
void p5_main(void) {
    int order = memcmp(&p5_table[0], &p5_table[1], sizeof p5_table[0]);
    memmove((char *)p5_table + 3, p5_table, 12);
    memset((char *)&p5_table[1].word + 1, 0xee, 4);
    CHECK((order < 0) + p5_table[0].wide * 3 + p5_table[1].half * 5ul + (unsigned)p5_table[1].word);
}

// A union of numbers, halves and bytes in a constant table, and one that is written by halves.
union p6_word { unsigned whole; unsigned short halves[2]; struct { unsigned char low, rest[3]; } bytes; };
static const union p6_word p6_table[2] = {{.whole = 0x11223344}, {.bytes = {1, {2, 3}}}};
static unsigned p6_take(union p6_word word, int at) { return word.halves[at] + word.bytes.rest[2]; }
void p6_main(void) {
    union p6_word own = p6_table[1];
    own.halves[1] ^= 0x5500;
    CHECK(p6_take(p6_table[0], 1) * 10 + p6_take(own, 0) * 1000 + own.whole);
}

// What a writer publishes as members a reader takes as one word.
static struct p7_data { int a; short b, c; } p7_data;
static atomic_int p7_ready;
static int p7_total(struct p7_data data) { return data.a + data.b * 10 + data.c * 100; }
static void *p7_write(void *unused) {
    p7_data.a = 1;
    p7_data.b = 2;
    p7_data.c = 3;
    atomic_store_explicit(&p7_ready, 1, memory_order_release);
    return unused;
}
void p7_main(void) {
    pthread_t thread;
    int total = 321;
    pthread_create(&thread, 0, p7_write, 0);
    if (atomic_load_explicit(&p7_ready, memory_order_acquire))
        total = p7_total(p7_data);
    pthread_join(thread, 0);
    CHECK(total + p7_total(p7_data));
}

// Heap memory without a type: filled with a byte and a length that are computed, looked at as numbers.
static int p8_length = 12;
void p8_main(void) {
    unsigned char *bytes = malloc(16);
    memset(bytes, 0, 16);
    memset(bytes, p8_length, 8);
    for (int i = 0; i < 3; i++)
        bytes[i * 4] = i;
    int copy[4] = {9, 9, 9, 9};
    memcpy(copy, bytes, p8_length);
    CHECK(copy[0] + 3ul * copy[1] + 5ul * copy[2] + 7ul * copy[3]);
}

// Other names, containers, flexible arrays and strings.
static int p9_real[2] = {1, 2};
extern int p9_other[2] __attribute__((alias("p9_real")));
struct p9_link { struct p9_link *next; };
struct p9_node { short number; struct p9_link link; char name[6]; };
static struct p9_node p9_second = {7, {0}, "seven"}, p9_first = {3, {&p9_second.link}, "three"};
struct p9_row { int length; short cells[]; };
void p9_main(void) {
    p9_other[1] = 5;
    struct p9_node *node = (struct p9_node *)((char *)p9_first.link.next - offsetof(struct p9_node, link));
    struct p9_row *row = malloc(sizeof *row + 3 * sizeof(short));
    row->length = 3;
    for (int i = 0; i < row->length; i++)
        row->cells[i] = node->name[i];
    CHECK(p9_real[1] + node->number * 10 + row->cells[2] * 100 + strlen(node->name) * 10000);
}

// A local struct as bytes at computed places, forwards and backwards; indices that wrap.
struct p10_mixed { char tag[2]; short half; int word; };
void p10_main(void) {
    struct p10_mixed mixed = {{1, 2}, 3, 4};
    unsigned char *end = (unsigned char *)&mixed + sizeof mixed, step = 255;
    unsigned long sum = 0;
    for (int i = 1; i <= 8; i++)
        sum = sum * 3 + end[-i];
    for (int i = 0; i < 8; i += 3)
        ((char *)&mixed)[i] = i + 5;
    step += 6;
    CHECK(sum + mixed.word * 7ul + mixed.half * 11 + ((char *)&mixed)[step]);
}

int main(void) {
    p0_main(), p1_main(), p2_main(), p3_main(), p4_main(), p5_main(), p6_main(), p7_main(), p8_main(), p9_main(), p10_main();
    return 0;
}
