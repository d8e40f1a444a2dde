/* Numbers from text, division with remainder, sorting and searching. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

static int digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'z' ? c - 'a' + 10 : c >= 'A' && c <= 'Z' ? c - 'A' + 10 : 99;
}

/* The digits of a number: how large it is, whether it is too large, whether it has a minus, and where it ends. */
static unsigned long parsed(const char *s, char **end, int base, int *large, int *minus) {
  const char *start = s;
  unsigned long value = 0;
  int any = 0;
  while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
    s++;
  *minus = *s == '-';
  if (*s == '-' || *s == '+')
    s++;
  if ((base == 0 || base == 16) && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && digit(s[2]) < 16)
    s += 2, base = 16;
  else if (base == 0)
    base = *s == '0' ? 8 : 10;
  for (*large = 0; digit(*s) < base; s++, any = 1) {
    unsigned long next;
    if (__builtin_mul_overflow(value, (unsigned long)base, &next) ||
        __builtin_add_overflow(next, (unsigned long)digit(*s), &value))
      *large = 1;
  }
  if (end)
    *end = (char *)(any ? s : start);
  return value;
}

static long with_sign(const char *s, char **end, int base) {
  int large, minus;
  unsigned long value = parsed(s, end, base, &large, &minus);
  if (large || value > (unsigned long)LONG_MAX + minus) {
    errno = ERANGE;
    return minus ? LONG_MIN : LONG_MAX;
  }
  return minus ? (long)-value : (long)value;
}

static unsigned long without_sign(const char *s, char **end, int base) {
  int large, minus;
  unsigned long value = parsed(s, end, base, &large, &minus);
  if (large) {
    errno = ERANGE;
    return ULONG_MAX;
  }
  return minus ? -value : value;
}

long strtol(const char *s, char **end, int base) { return with_sign(s, end, base); }
long long strtoll(const char *s, char **end, int base) { return with_sign(s, end, base); }
unsigned long strtoul(const char *s, char **end, int base) { return without_sign(s, end, base); }
unsigned long long strtoull(const char *s, char **end, int base) { return without_sign(s, end, base); }

long long atoll(const char *s) { return with_sign(s, 0, 10); }
long long llabs(long long n) { return n < 0 ? -n : n; }

div_t div(int a, int b) { return (div_t){a / b, a % b}; }
ldiv_t ldiv(long a, long b) { return (ldiv_t){a / b, a % b}; }
lldiv_t lldiv(long long a, long long b) { return (lldiv_t){a / b, a % b}; }

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  char *bytes = base;
  for (size_t i = 1; i < count; i++)
    for (size_t j = i; j > 0; j--) {
      char *left = bytes + (j - 1) * size, *right = left + size;
      if (compare(left, right) <= 0)
        break;
      for (size_t k = 0; k < size; k++) {
        char c = left[k];
        left[k] = right[k];
        right[k] = c;
      }
    }
}

void *bsearch(const void *key, const void *base, size_t count, size_t size,
              int (*compare)(const void *, const void *)) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const char *found = (const char *)base + middle * size;
    int order = compare(key, found);
    if (order == 0)
      return (void *)found;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return 0;
}
