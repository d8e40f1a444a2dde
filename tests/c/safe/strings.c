/* Functions of the C library on strings and bytes. WRONG: no room for the 0 at the end. */

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char word[8], line[16];
    strcpy(word, "abc");
    memmove(word + 1, word, 4);
    assert(strcmp(word, "aabc") == 0);
    assert(strrchr(word, 'a') == word + 1 && strstr(word, "bc") == word + 2 && memchr(word, 'c', 4) == word + 3);
    strncat(word, "de", 1);
    char *copy = strdup(word);
    assert(strlen(copy) == 5 && copy[4] == 'd');
    free(copy);
#ifdef WRONG
    char *small = malloc(3);
    strcpy(small, "abc");
#endif
    snprintf(line, sizeof line, "%s", word);
    puts(line);
    return 0;
}
