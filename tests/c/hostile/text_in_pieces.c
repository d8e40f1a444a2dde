// EXPECT sc:PASS -D WRONG sc:FAIL -D DETERMINED sc:REFUSED
#include <assert.h>
#include <string.h>
#include <strings.h>
#include <arpa/inet.h>

char text[] = "ab, c";

int main(void) {
  assert(strcspn(text, ",") == 2 && strspn(text, "ab") == 2 && strpbrk(text, " ,") == text + 2);
  char *first = strtok(text, ", ");
  char *second = strtok(0, ", ");
  assert(first == text && strcmp(second, "c") == 0);
#ifdef WRONG
  assert(strtok(0, ", "));
#else
  assert(!strtok(0, ", "));
#endif
  assert(strcasecmp("Ab", "aB") == 0 && strncasecmp("Abx", "aBy", 2) == 0);
#ifdef DETERMINED
  assert(htonl(1) == 1 << 24); /* what it returns is not arbitrary */
#endif
  return 0;
}
