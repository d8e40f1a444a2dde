// EXPECT sc:PASS tso:PASS
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

char buffer[32];

int main(void) {
  char text[4];
  int value = 5;
  assert(__builtin_align_down(buffer + 5, 4) == buffer + 4);
  assert(__builtin_align_up(buffer + 5, 8) == buffer + 8);
  assert(__builtin_annotation(value, "five") == 5);
  assert(snprintf(text, sizeof text, "%s-%d", "ab", 1234) == 7);
  assert(memcmp(text, "ab-", 4) == 0);
  assert(sprintf(buffer, "%05d|%3u|%x|%c|%%", -42, 7u, 255, 'z') == 16);
  assert(strcmp(buffer, "-0042|  7|ff|z|%") == 0);
  return 0;
}
