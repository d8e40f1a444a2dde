/* Functions of the C library on strings and bytes, for programs that call them. */

typedef __SIZE_TYPE__ size;

size strlen(const char *text) {
    size length = 0;
    while (text[length])
        length++;
    return length;
}

size strnlen(const char *text, size most) {
    size length = 0;
    while (length < most && text[length])
        length++;
    return length;
}

int strcmp(const char *left, const char *right) {
    size at = 0;
    while (left[at] && left[at] == right[at])
        at++;
    return (unsigned char)left[at] - (unsigned char)right[at];
}

int strncmp(const char *left, const char *right, size most) {
    for (size at = 0; at < most; at++)
        if (!left[at] || left[at] != right[at])
            return (unsigned char)left[at] - (unsigned char)right[at];
    return 0;
}

char *strcpy(char *target, const char *source) {
    size at = 0;
    do
        target[at] = source[at];
    while (source[at++]);
    return target;
}

char *strncpy(char *target, const char *source, size most) {
    size at = 0;
    for (; at < most && source[at]; at++)
        target[at] = source[at];
    for (; at < most; at++)
        target[at] = 0;
    return target;
}

char *strcat(char *target, const char *source) {
    strcpy(target + strlen(target), source);
    return target;
}

char *strchr(const char *text, int character) {
    for (;; text++) {
        if (*text == (char)character)
            return (char *)text;
        if (!*text)
            return 0;
    }
}

int atoi(const char *text) {
    int number = 0, negative = 0;
    while (*text == ' ')
        text++;
    if (*text == '-' || *text == '+')
        negative = *text++ == '-';
    while (*text >= '0' && *text <= '9')
        number = number * 10 + (*text++ - '0');
    return negative ? -number : number;
}

long atol(const char *text) { return atoi(text); }

int abs(int number) { return number < 0 ? -number : number; }

long labs(long number) { return number < 0 ? -number : number; }

void *memchr(const void *text, int byte, size length) {
    const unsigned char *bytes = text;
    for (size at = 0; at < length; at++)
        if (bytes[at] == (unsigned char)byte)
            return (void *)(bytes + at);
    return 0;
}

char *strrchr(const char *text, int character) {
    char *found = 0;
    for (;; text++) {
        if (*text == (char)character)
            found = (char *)text;
        if (!*text)
            return found;
    }
}

char *strstr(const char *text, const char *part) {
    for (;; text++) {
        size at = 0;
        while (part[at] && text[at] == part[at])
            at++;
        if (!part[at])
            return (char *)text;
        if (!*text)
            return 0;
    }
}

char *strncat(char *target, const char *source, size most) {
    size end = strlen(target), at = 0;
    for (; at < most && source[at]; at++)
        target[end + at] = source[at];
    target[end + at] = 0;
    return target;
}

void *malloc(size);

char *strndup(const char *text, size most) {
    size length = strnlen(text, most);
    char *copy = malloc(length + 1);
    for (size at = 0; at < length; at++)
        copy[at] = text[at];
    copy[length] = 0;
    return copy;
}

char *strdup(const char *text) { return strndup(text, strlen(text)); }

void *memset(void *, int, size);
void *memcpy(void *, const void *, size);
void *memmove(void *, const void *, size);

/* Annex K: what cannot be copied is an error, and the target is zero then. */
static int refused_copy(void *target, size room, const void *source, size length) {
    if (!target)
        return 22;
    if (source && length <= room)
        return 0;
    memset(target, 0, room);
    return 22;
}

int memcpy_s(void *target, size room, const void *source, size length) {
    size to = (size)target, from = (size)source;
    int error = refused_copy(target, room, source, length);
    if (error)
        return error;
    if (to < from + length && from < to + length) {
        memset(target, 0, room);
        return 22;
    }
    memcpy(target, source, length);
    return 0;
}

int memmove_s(void *target, size room, const void *source, size length) {
    int error = refused_copy(target, room, source, length);
    if (!error)
        memmove(target, source, length);
    return error;
}
