/* Driver of cores of the package montgomery behind registers on a bus; see montgomery.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "montgomery.h"

enum { ID = 0x00, VERSION = 0x04, CAPABILITIES = 0x08, WIDTH = 0x0c, LENGTHS = 0x10, CYCLES = 0x1c,
       CONTROL = 0x20, STATUS = 0x24, CORE = 0x28 };
enum { START = 1, LOAD = 2, CLEAR = 4, INTERRUPT = 8 };
enum { BUSY = 1, DONE = 2, REFUSED = 4, HAS_KEY = 8, ERROR_BUSY = 0x100, ERROR_KEY = 0x200,
       ERROR_WORDS = 0x400, ERRORS = 0x700 };
enum { MAGIC = 0x4d4f4e54, MAJOR = 1 };

/* -- Numbers: a sign, and limbs, the lowest one first; the highest one is not 0. */

struct big {
    uint32_t negative, size;
    uint32_t limb[];
};

/* Words of a slot of memory for a number: division needs two limbs more. */
static size_t stride(const struct mont_core *core) {
    return core->limbs + (size_t)4;
}

/* Slots are for names, then for the stack, and the last ones for what follows. */
static struct big *name(const struct mont *dev, size_t index) {
    const struct mont_core *core = dev->core;
    return (struct big *)(void *)(core->work + core->buffer + index * stride(core));
}

enum { DIVISOR, QUOTIENT, PRODUCT, REST, LAST, NEXT, FACTOR, COFACTOR, STACK };

static struct big *scratch(const struct mont *dev, size_t index) {
    return name(dev, dev->core->slots - 1u - index);
}

/* The first names where "kept" is not 0: what mont_load() leaves, and what "struct mont" has. */
enum { MODULUS, PUBLIC_EXPONENT, ORDER };

static void fail(struct mont *dev, enum mont_error error) {
    if (dev->error == MONT_OK)
        dev->error = error;
}

/* Wipe the message, and all numbers from a name on. */
static void wipe(const struct mont *dev, size_t first) {
    const struct mont_core *core = dev->core;
    volatile uint32_t *work = core->work;
    size_t index, end = core->buffer + core->slots * stride(core);
    for (index = 0; index < end; index++)
        if (index < core->buffer || index >= core->buffer + first * stride(core))
            work[index] = 0;
}

static enum mont_error finish(struct mont *dev) {
    enum mont_error error = dev->error;
    wipe(dev, dev->core->kept ? PUBLIC_EXPONENT : 0);
    dev->error = MONT_OK;
    return error;
}

static void trim(struct big *a) {
    while (a->size && !a->limb[a->size - 1])
        a->size--;
    if (!a->size)
        a->negative = 0;
}

static void set(struct big *a, uint32_t value) {
    a->negative = 0;
    a->size = 1;
    a->limb[0] = value;
    trim(a);
}

/* Make a number of so many limbs, which are 0, or just 0 if they are too many. */
static int make(struct mont *dev, struct big *a, size_t limbs) {
    size_t index;
    int fits = limbs <= dev->core->limbs + (size_t)1;
    if (!fits)
        fail(dev, MONT_RANGE);
    a->negative = 0;
    a->size = fits ? (uint32_t)limbs : 0;
    for (index = 0; index < a->size; index++)
        a->limb[index] = 0;
    return fits;
}

static void copy(struct big *to, const struct big *from) {
    uint32_t index;
    to->negative = from->negative;
    to->size = from->size;
    for (index = 0; index < from->size; index++)
        to->limb[index] = from->limb[index];
}

static uint32_t bits_of(const struct big *a) {
    uint32_t bits = 0, top = a->size ? a->limb[a->size - 1] : 0;
    for (; top; top >>= 1)
        bits++;
    return a->size ? 32 * (a->size - 1) + bits : 0;
}

static uint32_t limb(const struct big *a, size_t index) {
    return index < a->size ? a->limb[index] : 0;
}

/* Return the sign of |a| - |b|. */
static int compare(const struct big *a, const struct big *b) {
    size_t index = a->size > b->size ? a->size : b->size;
    while (index-- > 0)
        if (limb(a, index) != limb(b, index))
            return limb(a, index) < limb(b, index) ? -1 : 1;
    return 0;
}

/* Put bits of words into others, where there are zeros. */
static void copy_bits(uint32_t *to, size_t at, const uint32_t *from, size_t start, size_t count) {
    while (count) {
        size_t used = at % 32 > start % 32 ? at % 32 : start % 32;
        size_t some = 32 - used < count ? 32 - used : count;
        uint32_t bits = from[start / 32] >> start % 32 & UINT32_MAX >> (32 - some);
        to[at / 32] |= bits << at % 32;
        at += some, start += some, count -= some;
    }
}

/* r = |a| >> right << left; r is not a. */
static void shift(struct mont *dev, struct big *r, const struct big *a, size_t left, size_t right) {
    size_t bits = bits_of(a), count = bits > right ? bits - right : 0;
    if (make(dev, r, left / 32 + (left % 32 + count + 31) / 32))
        copy_bits(r->limb, left, a->limb, right, count);
    trim(r);
}

/* r = a + b, or a - b if "minus" is 1; r may be one of them. */
static void add(struct mont *dev, struct big *r, const struct big *a, const struct big *b,
                uint32_t minus) {
    uint32_t other = b->negative ^ minus, negative = a->negative, index;
    uint32_t size = a->size > b->size ? a->size : b->size;
    uint64_t carry = 0;
    if (size > dev->core->limbs) {
        fail(dev, MONT_RANGE);
        return;
    }
    minus = negative != other;
    if (minus && compare(a, b) < 0) {
        const struct big *swapped = a;
        a = b, b = swapped, negative = other;
    }
    for (index = 0; index < size; index++) {
        uint64_t term = limb(b, index);
        carry = minus ? limb(a, index) - term - carry : limb(a, index) + term + carry;
        r->limb[index] = (uint32_t)carry;
        carry = minus ? carry >> 63 : carry >> 32;
    }
    r->limb[size] = (uint32_t)carry;
    r->size = size + 1;
    r->negative = negative;
    trim(r);
}

/* r = a * b; r is neither. */
static void multiply(struct mont *dev, struct big *r, const struct big *a, const struct big *b) {
    uint32_t i, j;
    if (!make(dev, r, (size_t)a->size + b->size))
        return;
    for (i = 0; i < a->size; i++) {
        uint64_t carry = 0;
        for (j = 0; j < b->size; j++) {
            carry += (uint64_t)a->limb[i] * b->limb[j] + r->limb[i + j];
            r->limb[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        r->limb[i + j] = (uint32_t)carry;
    }
    r->negative = a->negative ^ b->negative;
    trim(r);
}

/* Subtract v * floor(u / v) from the n + 1 limbs of u, and return floor(u / v), which is a limb.
   The highest of the n limbs of v has its highest bit.
   (Knuth, The Art of Computer Programming, volume 2, 4.3.1, algorithm D.) */
static uint32_t reduce_limb(uint32_t *u, const uint32_t *v, uint32_t n) {
    const uint64_t top = (uint64_t)u[n] << 32 | u[n - 1];
    uint32_t guess = u[n] >= v[n - 1] ? UINT32_MAX : (uint32_t)(top / v[n - 1]), index;
    uint64_t carry = 0;
    int over;
    for (index = 0; index < n; index++) {
        uint32_t low;
        carry += (uint64_t)guess * v[index];
        low = (uint32_t)carry;
        carry = (carry >> 32) + (u[index] < low);
        u[index] -= low;
    }
    over = u[n] < carry;
    u[n] -= (uint32_t)carry;
    while (over) { /* The guess is at most 2 too large. */
        guess--;
        for (index = 0, carry = 0; index <= n; index++) {
            carry += (uint64_t)u[index] + (index < n ? v[index] : 0);
            u[index] = (uint32_t)carry;
            carry >>= 32;
        }
        over = !carry;
    }
    return guess;
}

/* q, r = divmod(a, b), rounded down; q and r are neither a nor b, and b is positive. */
static void divide(struct mont *dev, struct big *q, struct big *r, const struct big *a,
                   const struct big *b) {
    struct big *v = scratch(dev, DIVISOR);
    uint32_t up = 31 & -bits_of(b), index;
    if (!b->size || b->negative)
        fail(dev, MONT_RANGE);
    shift(dev, v, b, up, 0);
    shift(dev, r, a, up, 0);
    make(dev, q, r->size < v->size ? 0 : r->size - v->size + 1);
    if (dev->error)
        return;
    r->limb[r->size] = 0;
    for (index = q->size; index-- > 0;)
        q->limb[index] = reduce_limb(r->limb + index, v->limb, v->size);
    trim(q);
    trim(r);
    shift(dev, v, r, 0, up);
    copy(r, v);
    if (a->negative && r->size) {
        set(v, 1);
        add(dev, q, q, v, 0);
        add(dev, r, b, r, 1);
    }
    q->negative = a->negative && q->size;
}

/* Leave the greatest common divisor of x and m in LAST, and a number of which the product with x
   is that modulo m in FACTOR. */
static void euclid(struct mont *dev, const struct big *x, const struct big *m) {
    struct big *last = scratch(dev, LAST), *next = scratch(dev, NEXT), *rest = scratch(dev, REST);
    struct big *factor = scratch(dev, FACTOR), *cofactor = scratch(dev, COFACTOR), *swapped;
    struct big *quotient = scratch(dev, QUOTIENT), *product = scratch(dev, PRODUCT);
    copy(last, m);
    divide(dev, quotient, next, x, m);
    set(factor, 0);
    set(cofactor, 1);
    while (next->size && !dev->error) {
        divide(dev, quotient, rest, last, next);
        swapped = last, last = next, next = rest, rest = swapped;
        multiply(dev, product, quotient, cofactor);
        add(dev, factor, factor, product, 1);
        swapped = factor, factor = cofactor, cofactor = swapped;
    }
    if (factor != scratch(dev, FACTOR))
        copy(cofactor, factor); /* There are two, which have changed places. */
    if (last != scratch(dev, LAST))
        copy(scratch(dev, LAST), last);
}

/* Replace a by its power modulo m; the time depends on the exponent. */
static void power(struct mont *dev, struct big *a, const struct big *exponent,
                  const struct big *m) {
    struct big *result = scratch(dev, LAST), *product = scratch(dev, PRODUCT);
    uint32_t bit = bits_of(exponent);
    set(result, 1);
    while (bit-- > 0) {
        multiply(dev, product, result, result);
        divide(dev, scratch(dev, QUOTIENT), result, product, m);
        if (exponent->limb[bit / 32] >> bit % 32 & 1) {
            multiply(dev, product, result, a);
            divide(dev, scratch(dev, QUOTIENT), result, product, m);
        }
    }
    copy(a, result);
}

/* -- Octets. */

/* Return where in a number of octets the one is that counts 256 ** index. */
static size_t place(const struct mont *dev, size_t length, size_t index) {
    uint32_t kind = dev->core->kind;
    int lowest_first = kind == MONT_KEY_AGREEMENT || kind == MONT_EDDSA_VERIFICATION;
    return lowest_first ? index : length - 1 - index;
}

static void take(struct mont *dev, struct big *a, struct mont_in in) {
    size_t index, length = in.bytes ? in.length : 0;
    while (length && !in.bytes[place(dev, in.length, length - 1)])
        length--;
    if (!make(dev, a, (length + 3) / 4))
        return;
    for (index = 0; index < length; index++)
        a->limb[index / 4] |= (uint32_t)in.bytes[place(dev, in.length, index)] << index % 4 * 8;
}

static void give(struct mont *dev, struct mont_out out, const struct big *a) {
    size_t index;
    for (index = 0; index < out.length && out.bytes; index++)
        out.bytes[place(dev, out.length, index)] =
            (uint8_t)(limb(a, index / 4) >> index % 4 * 8);
}

/* -- Words. */

/* Bus words of a word of a message. */
static size_t slots_of(const struct mont_message *message) {
    return (message->width + 31u) / 32;
}

/* Put a number into words of the message; see MONT_EMIT. */
static void emit(struct mont *dev, const struct mont_message *message, const struct big *a,
                 size_t first, const uint16_t *field, int down) {
    size_t words = field[1], bits = field[2], length = bits_of(a), index, done;
    if (a->negative || length > words * bits)
        fail(dev, MONT_RANGE);
    for (index = 0, done = 0; done < length && !dev->error; index++, done += bits) {
        size_t word = down ? first - index : first + index;
        copy_bits(dev->core->work, word * slots_of(message) * 32 + field[3], a->limb, done,
                  length - done < bits ? length - done : bits);
    }
}

/* Make a number of words of the result, from one on. */
static void join(struct mont *dev, const struct mont_message *message, struct big *r,
                 size_t first, size_t count) {
    size_t index, width = message->width;
    if (make(dev, r, (count * width + 31) / 32))
        for (index = 0; index < count; index++)
            copy_bits(r->limb, index * width, dev->core->work,
                      (first + index) * slots_of(message) * 32, width);
    trim(r);
}

static void constant(struct mont *dev, struct big *r, size_t index) {
    const struct mont_core *core = dev->core;
    const uint32_t *first = core->pool + core->constants[index];
    if (make(dev, r, core->constants[index + 1] - (size_t)core->constants[index]))
        for (index = 0; index < r->size; index++)
            r->limb[index] = first[index];
}

static void random_bits(struct mont *dev, struct big *r) {
    size_t bits = limb(r, 0);
    if (make(dev, r, dev->random ? (bits + 31) / 32 : 0) && r->size)
        dev->random((uint8_t *)r->limb, r->size * sizeof r->limb[0]);
    trim(r);
}

/* Replace a by what a step makes of a and b. */
static void binary(struct mont *dev, uint16_t step, struct big *a, struct big *b) {
    struct big *product = scratch(dev, PRODUCT), *quotient = scratch(dev, QUOTIENT);
    struct big *rest = scratch(dev, REST), *result = a;
    uint32_t index;
    switch (step) {
    case MONT_ADD:
    case MONT_SUB:
        add(dev, a, a, b, step == MONT_SUB);
        break;
    case MONT_MUL:
        multiply(dev, result = product, a, b);
        break;
    case MONT_DIV:
    case MONT_MOD:
        divide(dev, quotient, rest, a, b);
        result = step == MONT_DIV ? quotient : rest;
        break;
    case MONT_SHL:
    case MONT_SHR:
        if (a->negative || b->negative || b->size > 1)
            fail(dev, MONT_RANGE);
        shift(dev, result = rest, a, step == MONT_SHL ? limb(b, 0) : 0,
              step == MONT_SHR ? limb(b, 0) : 0);
        break;
    case MONT_OR:
        make(dev, result = rest, a->size > b->size ? a->size : b->size);
        for (index = 0; index < rest->size; index++)
            rest->limb[index] = limb(a, index) | limb(b, index);
        break;
    case MONT_MAX:
        result = compare(a, b) < 0 ? b : a;
        break;
    case MONT_LESS:
        set(a, compare(a, b) < 0);
        break;
    case MONT_EQUAL:
        set(a, compare(a, b) == 0);
        break;
    case MONT_ELSE:
        result = a->size ? a : b;
        break;
    case MONT_GCD:
        euclid(dev, a, b);
        result = scratch(dev, LAST);
        break;
    case MONT_INV:
        euclid(dev, a, b);
        if (bits_of(scratch(dev, LAST)) != 1)
            fail(dev, MONT_RANGE);
        divide(dev, quotient, result = rest, scratch(dev, FACTOR), b);
        break;
    default:
        fail(dev, MONT_WRONG_CORE);
    }
    if (result != a && !dev->error)
        copy(a, result);
}

/* Compute the formulas of a message; the bits of "absent" are those of inputs that are missing. */
static void execute(struct mont *dev, const struct mont_message *message, uint32_t absent) {
    const uint16_t *code = message->code, *end = code + message->length, *body = end;
    size_t height = 0, index = 0, first = 0, count = 0;
    while (code < end && !dev->error) {
        uint16_t step = *code++;
        struct big *top;
        height += step <= MONT_JOIN;
        top = scratch(dev, STACK + height - 1);
        switch (step) {
        case MONT_PUSH: set(top, *code++); break;
        case MONT_CONSTANT: constant(dev, top, *code++); break;
        case MONT_NAME: copy(top, name(dev, *code++)); break;
        case MONT_ABSENT: set(top, absent >> *code++ & 1); break;
        case MONT_EACH: constant(dev, top, first + index); break;
        case MONT_WORD: join(dev, message, top, index, 1); break;
        case MONT_JOIN: join(dev, message, top, 0, message->words); break;
        case MONT_NEG: top->negative = top->size && !top->negative; break;
        case MONT_BITS: set(top, bits_of(top)); break;
        case MONT_RANDOM: random_bits(dev, top); break;
        case MONT_POW:
            height -= 2;
            power(dev, scratch(dev, STACK + height - 1), scratch(dev, STACK + height), top);
            break;
        case MONT_STORE:
            copy(name(dev, *code++), top);
            height--;
            break;
        case MONT_CHECK:
            if (!top->size)
                fail(dev, (enum mont_error)*code);
            code++;
            height--;
            break;
        case MONT_EMIT:
        case MONT_EMIT_DOWN:
            emit(dev, message, top, code[0] + index, code, step == MONT_EMIT_DOWN);
            code += 4;
            height--;
            break;
        case MONT_LOOP:
            first = code[0], count = code[1], body = code += 2;
            break;
        case MONT_NEXT:
            index = index + 1 < count ? index + 1 : 0;
            code = index ? body : code;
            break;
        default:
            height--;
            binary(dev, step, scratch(dev, STACK + height - 1), top);
        }
    }
}

/* -- Registers. */

static uint32_t get(const struct mont *dev, uint32_t offset) {
    return mont_read(dev->base + offset);
}

static void put(const struct mont *dev, uint32_t offset, uint32_t value) {
    mont_write(dev->base + offset, value);
}

enum mont_error mont_wait(struct mont *dev) {
    uint32_t polls = dev->polls;
    if (dev->wait)
        return dev->wait(dev);
    while (polls-- > 0)
        if (get(dev, STATUS) & (DONE | ERRORS))
            return MONT_OK;
    return MONT_TIMEOUT;
}

/* Send words of a message, of which there are "count", and wait for the end of the command. */
static void command(struct mont *dev, uint32_t which, const struct mont_message *message,
                    const uint32_t *words, size_t count) {
    uint32_t status = get(dev, STATUS), index;
    dev->aborted = 0;
    if (status & BUSY)
        fail(dev, MONT_BUSY);
    else if (which == START && dev->core->key.words && !(status & HAS_KEY))
        fail(dev, MONT_NO_KEY);
    else if (!count || count > message->words)
        fail(dev, MONT_WORDS);
    if (dev->error)
        return;
    put(dev, STATUS, DONE | REFUSED | ERRORS);
    for (index = 0; index < count * slots_of(message); index++)
        put(dev, message->window + 4 * index, words[index]);
    put(dev, CONTROL, which | (dev->wait ? INTERRUPT : 0) | (uint32_t)count << 16);
    fail(dev, mont_wait(dev));
    status = get(dev, STATUS);
    if (dev->aborted)
        fail(dev, MONT_ABORTED);
    else if (status & (ERROR_BUSY | BUSY))
        fail(dev, MONT_BUSY);
    else if (status & ERROR_KEY)
        fail(dev, MONT_NO_KEY);
    else if (status & ERROR_WORDS)
        fail(dev, MONT_WORDS);
    else if (status & REFUSED)
        fail(dev, MONT_REFUSED);
}

/* Do a command with inputs, the words of which are computed. */
static void send(struct mont *dev, uint32_t which, const struct mont_message *message,
                 const struct mont_in *inputs) {
    const struct mont_core *core = dev->core;
    uint32_t absent = 0, index;
    if (!message->length) {
        fail(dev, MONT_WRONG_CORE);
        return;
    }
    if (core->kept) {
        set(name(dev, PUBLIC_EXPONENT), dev->public_exponent);
        take(dev, name(dev, ORDER), dev->order);
    }
    for (index = 0; index < message->inputs; index++) {
        take(dev, name(dev, core->kept + index), inputs[index]);
        absent |= (uint32_t)(inputs[index].bytes == NULL) << index;
    }
    if (absent & ~(uint32_t)message->optional)
        fail(dev, MONT_RANGE);
    execute(dev, message, absent);
    /* The one word of a multiplication of which both factors are kept says just that. */
    if (!dev->error)
        command(dev, which, message, core->work,
                absent == (1u << message->inputs) - 1 ? 1 : message->words);
    for (index = 0; index < core->buffer; index++)
        core->work[index] = 0;
}

enum mont_error mont_open(struct mont *dev, const struct mont_core *core, uintptr_t base) {
    const struct mont_message *messages[3];
    uint32_t index;
    *dev = (struct mont){.core = core, .base = base, .polls = core->polls};
    messages[0] = &core->operands, messages[1] = &core->key, messages[2] = &core->results;
    wipe(dev, 0);
    if (get(dev, ID) != MAGIC)
        return MONT_NO_CORE;
    if (get(dev, VERSION) >> 16 != MAJOR || (get(dev, CAPABILITIES) & 0xff) != core->kind
        || get(dev, WIDTH) != core->width || get(dev, CORE) != core->crc)
        return MONT_WRONG_CORE;
    for (index = 0; index < 3; index++)
        if (get(dev, LENGTHS + 4 * index)
            != ((uint32_t)messages[index]->words << 16 | messages[index]->width))
            return MONT_WRONG_CORE;
    return MONT_OK;
}

void mont_abort(struct mont *dev) {
    dev->aborted = 1;
    put(dev, CONTROL, CLEAR);
}

enum mont_error mont_clear(struct mont *dev) {
    uint32_t polls = dev->polls;
    mont_abort(dev);
    wipe(dev, 0);
    while (get(dev, STATUS) & BUSY)
        if (polls-- == 0)
            return MONT_TIMEOUT;
    put(dev, STATUS, DONE | REFUSED | ERRORS);
    return MONT_OK;
}

enum mont_error mont_close(struct mont *dev) {
    dev->random = NULL;
    dev->modulus = dev->order = (struct mont_in){NULL, 0};
    return mont_clear(dev);
}

uint32_t mont_cycles(struct mont *dev) {
    return get(dev, CYCLES);
}

/* -- Keys and operations. */

enum mont_error mont_load(struct mont *dev, const struct mont_in *inputs) {
    const struct mont_core *core = dev->core;
    if (!core->key.words) {
        dev->modulus = inputs[0];
        return core->kind == MONT_MULTIPLIER ? MONT_OK : MONT_WRONG_CORE;
    }
    send(dev, LOAD, &core->key, inputs);
    if (dev->error)
        wipe(dev, 0);
    return finish(dev);
}

enum mont_error mont_load_words(struct mont *dev, const uint32_t *words, size_t count) {
    const struct mont_message *key = &dev->core->key;
    if (!key->words)
        return MONT_WRONG_CORE;
    if (count % slots_of(key))
        return MONT_WORDS;
    if (dev->core->kept)
        take(dev, name(dev, MODULUS), dev->modulus);
    command(dev, LOAD, key, words, count / slots_of(key));
    return finish(dev);
}

enum mont_error mont_run_words(struct mont *dev, const uint32_t *words, size_t count,
                               uint32_t *results, size_t result_count) {
    const struct mont_message *operands = &dev->core->operands, *from = &dev->core->results;
    uint32_t index;
    if (count % slots_of(operands) || result_count > from->words * slots_of(from))
        return MONT_WORDS;
    command(dev, START, operands, words, count / slots_of(operands));
    for (index = 0; index < result_count && !dev->error; index++)
        results[index] = get(dev, from->window + 4 * index);
    return finish(dev);
}

enum mont_error mont_run(struct mont *dev, const struct mont_in *inputs,
                         const struct mont_out *results) {
    const struct mont_core *core = dev->core;
    const struct mont_message *from = &core->results;
    uint32_t index;
    send(dev, START, &core->operands, inputs);
    for (index = 0; index < from->words * slots_of(from) && !dev->error; index++)
        core->work[index] = get(dev, from->window + 4 * index);
    execute(dev, from, 0);
    for (index = 0; index < from->inputs; index++)
        if (results[index].bytes && bits_of(name(dev, core->kept + index)) > 8 * results[index].length)
            fail(dev, MONT_RANGE);
    for (index = 0; index < from->inputs && !dev->error; index++)
        give(dev, results[index], name(dev, core->kept + index));
    return finish(dev);
}

/* Return what a core of one kind gives for inputs. */
static enum mont_error run_on(struct mont *dev, uint32_t kind, const struct mont_in *inputs,
                              const struct mont_out *results) {
    return dev->core->kind == kind ? mont_run(dev, inputs, results) : MONT_WRONG_CORE;
}

enum mont_error mont_mul(struct mont *dev, struct mont_in x, struct mont_in y,
                         struct mont_out result) {
    const struct mont_in inputs[] = {x, y, dev->modulus};
    return run_on(dev, MONT_MULTIPLIER, inputs, &result);
}

enum mont_error mont_modexp(struct mont *dev, struct mont_in base, struct mont_out result) {
    return run_on(dev, MONT_EXPONENTIATOR, &base, &result);
}

enum mont_error mont_sign(struct mont *dev, struct mont_in message, struct mont_out signature) {
    return dev->core->kept ? mont_run(dev, &message, &signature) : MONT_WRONG_CORE;
}

enum mont_error mont_x25519(struct mont *dev, struct mont_in scalar, struct mont_in u,
                            struct mont_out result) {
    const struct mont_in inputs[] = {scalar, u};
    return run_on(dev, MONT_KEY_AGREEMENT, inputs, &result);
}

enum mont_error mont_ecdh(struct mont *dev, struct mont_in scalar, struct mont_in point,
                          struct mont_out result) {
    const size_t octets = (dev->core->width + 7) / 8;
    const int is_base = point.bytes == NULL, is_whole = result.length == 2 * octets;
    const uint8_t *x;
    if (!is_base && point.length == 2 * octets + 1 && point.bytes[0] == 4)
        point.bytes++, point.length--;
    if ((!is_base && point.length != 2 * octets) || (!is_whole && result.length != octets))
        return MONT_RANGE;
    x = point.bytes;
    {
        const struct mont_in inputs[] = {scalar, {x, octets}, {is_base ? x : x + octets, octets}};
        const struct mont_out results[] = {
            {result.bytes, octets}, {is_whole ? result.bytes + octets : NULL, octets}};
        return run_on(dev, is_base ? MONT_BASE_MULTIPLICATION : MONT_SCALAR_MULTIPLICATION,
                      inputs, results);
    }
}

enum mont_error mont_ecdsa_verify(struct mont *dev, struct mont_in digest, struct mont_in r,
                                  struct mont_in s, struct mont_in public_x,
                                  struct mont_in public_y) {
    const uint32_t bits = dev->core->digest_bits;
    uint8_t valid = 0;
    const struct mont_out result = {&valid, 1};
    enum mont_error error;
    if (digest.length > bits / 8 && bits % 8)
        return MONT_RANGE;
    if (digest.length > bits / 8)
        digest.length = bits / 8;
    {
        const struct mont_in inputs[] = {digest, r, s, public_x, public_y};
        error = run_on(dev, MONT_ECDSA_VERIFICATION, inputs, &result);
    }
    /* Numbers that the core does not take are no signature either. */
    return error == MONT_RANGE || (error == MONT_OK && !valid) ? MONT_INVALID : error;
}
