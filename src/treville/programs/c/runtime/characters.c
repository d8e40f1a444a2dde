/* Kinds of characters and what they turn into, as in the C locale; more functions on strings. */
#include <stddef.h>

#define UPPER(c) ((c) >= 'A' && (c) <= 'Z')
#define LOWER(c) ((c) >= 'a' && (c) <= 'z')
#define DIGIT(c) ((c) >= '0' && (c) <= '9')
#define GRAPHIC(c) ((c) > ' ' && (c) < 127)
#define LOWERED(c) (UPPER(c) ? (c) - 'A' + 'a' : (c))

int isupper(int c) { return UPPER(c); }
int islower(int c) { return LOWER(c); }
int isdigit(int c) { return DIGIT(c); }
int isalpha(int c) { return UPPER(c) || LOWER(c); }
int isalnum(int c) { return UPPER(c) || LOWER(c) || DIGIT(c); }
int isxdigit(int c) { return DIGIT(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
int isblank(int c) { return c == ' ' || c == '\t'; }
int isspace(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
int isgraph(int c) { return GRAPHIC(c); }
int isprint(int c) { return c == ' ' || GRAPHIC(c); }
int iscntrl(int c) { return (c >= 0 && c < ' ') || c == 127; }
int ispunct(int c) { return GRAPHIC(c) && !UPPER(c) && !LOWER(c) && !DIGIT(c); }
int tolower(int c) { return LOWERED(c); }
int toupper(int c) { return LOWER(c) ? c - 'a' + 'A' : c; }

static int contains(const char *set, char c) {
  for (; *set; set++)
    if (*set == c)
      return 1;
  return 0;
}

size_t strspn(const char *s, const char *set) {
  size_t n = 0;
  while (s[n] && contains(set, s[n]))
    n++;
  return n;
}

size_t strcspn(const char *s, const char *set) {
  size_t n = 0;
  while (s[n] && !contains(set, s[n]))
    n++;
  return n;
}

char *strpbrk(const char *s, const char *set) {
  for (; *s; s++)
    if (contains(set, *s))
      return (char *)s;
  return 0;
}

static int lowered(unsigned char c) { return LOWERED(c); }

int strcasecmp(const char *a, const char *b) {
  while (*a && lowered(*a) == lowered(*b))
    a++, b++;
  return lowered(*a) - lowered(*b);
}

int strncasecmp(const char *a, const char *b, size_t n) {
  for (; n; n--, a++, b++) {
    int difference = lowered(*a) - lowered(*b);
    if (difference || !*a)
      return difference;
  }
  return 0;
}

static char *token(char *s, const char *set, char **next) {
  s = s ? s : *next;
  while (s && *s && contains(set, *s))
    s++;
  if (!s || !*s) {
    *next = 0;
    return 0;
  }
  char *end = s;
  while (*end && !contains(set, *end))
    end++;
  *next = *end ? end + 1 : 0;
  *end = 0;
  return s;
}

char *strtok_r(char *s, const char *set, char **next) { return token(s, set, next); }

char *strtok(char *s, const char *set) {
  static char *next;
  return token(s, set, &next);
}

char *strsep(char **s, const char *set) {
  char *start = *s, *end = start;
  if (!start)
    return 0;
  while (*end && !contains(set, *end))
    end++;
  *s = *end ? end + 1 : 0;
  *end = 0;
  return start;
}

char *stpcpy(char *to, const char *from) {
  while ((*to = *from))
    to++, from++;
  return to;
}

char *stpncpy(char *to, const char *from, size_t n) {
  while (n && (*to = *from))
    to++, from++, n--;
  for (size_t rest = 0; rest < n; rest++)
    to[rest] = 0;
  return to;
}

size_t strlcpy(char *to, const char *from, size_t size) {
  size_t n = 0;
  for (; from[n]; n++)
    if (n + 1 < size)
      to[n] = from[n];
  if (size)
    to[n < size ? n : size - 1] = 0;
  return n;
}

char *strchrnul(const char *s, int c) {
  while (*s && *s != (char)c)
    s++;
  return (char *)s;
}

void *memrchr(const void *s, int c, size_t n) {
  const unsigned char *bytes = s;
  while (n--)
    if (bytes[n] == (unsigned char)c)
      return (void *)(bytes + n);
  return 0;
}

void *memccpy(void *to, const void *from, int c, size_t n) {
  unsigned char *target = to;
  const unsigned char *source = from;
  for (; n; n--)
    if ((*target++ = *source++) == (unsigned char)c)
      return target;
  return 0;
}
