/* Checks the cores of a SoC against OpenSSL, and what their registers say: see soc.py.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <generated/csr.h>
#include <generated/mem.h>
#include <generated/soc.h>
#include <irq.h>
#include <libbase/uart.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "inputs.h"
#include "montgomery.h"

/* Registers and their bits, as in the documentation of each core. */
enum { ID = 0x00, VERSION = 0x04, CAPABILITIES = 0x08, WIDTH = 0x0c, OPERANDS_LENGTH = 0x10,
       KEY_LENGTH = 0x14, RESULT_LENGTH = 0x18, CYCLES = 0x1c, CONTROL = 0x20, STATUS = 0x24,
       CORE = 0x28, RESULT = 0x40 };
enum { START = 1, LOAD = 2, CLEAR = 4, INTERRUPT = 8, HAS_KEY_PORT = 0x100, WIPES = 0x200 };
enum { BUSY = 1, DONE = 2, REFUSED = 4, HAS_KEY = 8, ERROR_BUSY = 0x100, ERROR_KEY = 0x200,
       ERROR_WORDS = 0x400, ALL = 0x70f };

/* A core, and what is done with it. Each operation writes to "found". */
struct place {
    const char *name;
    const struct mont_core *core;
    uintptr_t base;
    int interrupt;
    void (*enable)(uint32_t);
    enum mont_error (*operate)(struct mont *dev, int n);
    const uint8_t *expected;
    size_t length;
    enum mont_error (*load)(struct mont *dev, int n);   /* for cores with keys */
    enum mont_error (*spoilt)(struct mont *dev, int n); /* ends with "error" */
    enum mont_error error;
};

static uint8_t found[256], other[256];
static const uint8_t nothing[256];
static const char *name;
static bool wrong;

/* Check that two numbers are equal. */
static void check(const char *what, int number, uint32_t value, uint32_t expected) {
    if (value != expected) {
        printf("%s: %s %d is %lx, not %lx\n", name, what, number, (unsigned long)value,
               (unsigned long)expected);
        wrong = true;
    }
}

/* -- The operations. */

#ifdef RSA_BASE
#include "rsa.h"

static enum mont_error load_rsa(struct mont *dev, int n) {
    const int k = n / KEY_USES;
    /* exponent_p, exponent_q, p, q, and no length of exponents: it is that of p and q */
    const struct mont_in key[] = {MONT_IN(rsa_dp[k]), MONT_IN(rsa_dq[k]), MONT_IN(rsa_p[k]),
                                  MONT_IN(rsa_q[k]), {NULL, 0}};
    dev->public_exponent = 65537;
    const enum mont_error error = mont_load(dev, key);
    dev->public_exponent = 0; /* The core checks, so that the driver need not. */
    return error;
}

static enum mont_error sign(struct mont *dev, int n) {
    return mont_sign(dev, MONT_IN(rsa_message[n]), MONT_OUT(found));
}
#endif

#ifdef P256_BASE
#include "p256.h"

static enum mont_error derive(struct mont *dev, int n) {
    return mont_ecdh(dev, MONT_IN(p256_scalar[n]), MONT_IN(p256_point[n]),
                     (struct mont_out){found, 32});
}

/* A point that is not on the curve. */
static enum mont_error derive_off_curve(struct mont *dev, int n) {
    memcpy(other, p256_point[n], 64);
    other[63] ^= 1;
    return mont_ecdh(dev, MONT_IN(p256_scalar[n]), (struct mont_in){other, 64},
                     (struct mont_out){found, 32});
}
#endif

#ifdef X25519_BASE
#include "x25519.h"

static enum mont_error exchange(struct mont *dev, int n) {
    return mont_x25519(dev, MONT_IN(x25519_scalar[n]), MONT_IN(x25519_u[n]),
                       (struct mont_out){found, 32});
}

/* A point of small order. */
static enum mont_error exchange_small(struct mont *dev, int n) {
    return mont_x25519(dev, MONT_IN(x25519_scalar[n]), (struct mont_in){nothing, 32},
                       (struct mont_out){found, 32});
}
#endif

#ifdef ECDSA_BASE
#include "ecdsa.h"

static enum mont_error verify(struct mont *dev, int n) {
    return mont_ecdsa_verify(dev, MONT_IN(ecdsa_digest[n]), MONT_IN(ecdsa_r[n]),
                             MONT_IN(ecdsa_s[n]), MONT_IN(ecdsa_x[n]), MONT_IN(ecdsa_y[n]));
}

/* A digest with another bit. */
static enum mont_error verify_other(struct mont *dev, int n) {
    memcpy(other, ecdsa_digest[n], 32);
    other[n / 8 % 32] ^= 1 << n % 8;
    return mont_ecdsa_verify(dev, (struct mont_in){other, 32}, MONT_IN(ecdsa_r[n]),
                             MONT_IN(ecdsa_s[n]), MONT_IN(ecdsa_x[n]), MONT_IN(ecdsa_y[n]));
}
#endif

#define PLACE(name, NAME) #name, &name##_core, NAME##_BASE, NAME##_INTERRUPT, name##_ev_enable_write
static const struct place places[] = {
#ifdef RSA_BASE
    {PLACE(rsa, RSA), sign, rsa_signature[0], 256, load_rsa, NULL, MONT_OK},
#endif
#ifdef P256_BASE
    {PLACE(p256, P256), derive, p256_secret[0], 32, NULL, derive_off_curve, MONT_REFUSED},
#endif
#ifdef X25519_BASE
    {PLACE(x25519, X25519), exchange, x25519_secret[0], 32, NULL, exchange_small, MONT_REFUSED},
#endif
#ifdef ECDSA_BASE
    {PLACE(ecdsa, ECDSA), verify, nothing, 0, NULL, verify_other, MONT_INVALID},
#endif
};

/* -- Ways to wait for a core. */

static struct mont dev;
static volatile bool interrupted;

static uint32_t get(uint32_t offset) { return mont_read(dev.base + offset); }
static void put(uint32_t offset, uint32_t value) { mont_write(dev.base + offset, value); }

static void handle(void) {
    interrupted = true;
    put(CONTROL, 0); /* The line of the core falls. */
}

static enum mont_error by_interrupt(struct mont *device) {
    for (uint32_t polls = device->polls; polls; polls--)
        if (interrupted)
            return MONT_OK;
    return MONT_TIMEOUT;
}

static enum mont_error give_up(struct mont *device) {
    mont_abort(device);
    return MONT_OK;
}

/* -- What is checked of each core. */

static void constants(const struct mont_core *core) {
    const uint32_t has_key = core->key.words ? HAS_KEY_PORT : 0;
    const struct { uint32_t offset, mask, value; } registers[] = {
        {ID, ~0u, 0x4d4f4e54}, {VERSION, ~0u, 0x010000},
        {CAPABILITIES, 0xff | HAS_KEY_PORT | WIPES, core->kind | has_key | WIPES},
        {WIDTH, ~0u, core->width},
        {OPERANDS_LENGTH, ~0u, (uint32_t)core->operands.words << 16 | core->operands.width},
        {KEY_LENGTH, ~0u, (uint32_t)core->key.words << 16 | core->key.width},
        {RESULT_LENGTH, ~0u, (uint32_t)core->results.words << 16 | core->results.width},
        {CORE, ~0u, core->crc}};
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++) {
        put(registers[i].offset, 0); /* is ignored */
        check("register", i, get(registers[i].offset) & registers[i].mask, registers[i].value);
    }
}

static bool result_is(const uint32_t *words, size_t count) {
    bool same = true;
    for (size_t i = 0; i < count; i++)
        same &= get(RESULT + 4 * i) == (words ? words[i] : 0);
    return same;
}

/* Commands at the wrong time, while an operation that was done before is done again. */
static void disturb(const struct mont_core *core, bool has_key) {
    static uint32_t words[256];
    const uint32_t start = START | (uint32_t)core->operands.words << 16;
    const uint32_t load = LOAD | (uint32_t)core->key.words << 16, key = has_key ? HAS_KEY : 0;
    const size_t count = core->results.words * ((core->results.width + 31) / 32);
    const uint32_t clocks = get(CYCLES);
    const struct { uint32_t offset, value, status; } steps[] = {
        {STATUS, ALL, key}, {CONTROL, start + 0x10000, key | ERROR_WORDS},
        {STATUS, DONE, key | ERROR_WORDS}, {STATUS, ERROR_WORDS, key},
        {CONTROL, start | LOAD, key | ERROR_WORDS}, {STATUS, ALL, key},
        {CONTROL, start, key | BUSY}, {CONTROL, start, key | BUSY | ERROR_BUSY},
        {STATUS, ALL, key | BUSY},
        {core->operands.window, ~0u, key | BUSY | ERROR_BUSY},
        {STATUS, ALL, key | BUSY},
        {CONTROL, load, key | BUSY | ERROR_BUSY},
        {STATUS, ALL, key | BUSY}};
    for (size_t i = 0; i < count; i++)
        words[i] = get(RESULT + 4 * i);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        put(steps[i].offset, steps[i].value);
        check("STATUS after step", i, get(STATUS), steps[i].status);
    }
    check("wait", 0, mont_wait(&dev), MONT_OK);
    check("STATUS after", 0, get(STATUS), key | DONE);
    check("result and CYCLES again", 0, result_is(words, count) && get(CYCLES) == clocks, true);
    put(CONTROL, start | INTERRUPT);
    check("CONTROL", 0, get(CONTROL), INTERRUPT);
    put(CONTROL, CLEAR);
    check("STATUS in CLEAR", 0, get(STATUS) & (BUSY | HAS_KEY), BUSY);
    while (get(STATUS) & BUSY);
    check("STATUS after CLEAR", 0, get(STATUS), DONE);
    check("result after CLEAR", 0, result_is(NULL, count), true);
    /* A command for the key that is not there, or for a core that has none. */
    put(CONTROL, has_key ? start : load);
    check("STATUS without a key", 0, get(STATUS), DONE | (has_key ? ERROR_KEY : ERROR_WORDS));
}

/* Operations that are to fail, and after each one that is right again. */
static void fail(const struct place *place) {
    const struct { const char *what; enum mont_error (*wait)(struct mont *); uint32_t polls, before;
                   enum mont_error error; } cases[] = {
        {"abort", give_up, place->core->polls, 0, MONT_ABORTED},
        {"time-out", NULL, 1, 0, MONT_TIMEOUT},
        {"start while busy", NULL, place->core->polls, START, MONT_BUSY},
        {"interrupt", by_interrupt, place->core->polls, 0, MONT_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mont_clear(&dev);
        if (place->load) {
            check("without a key", i, place->operate(&dev, 0), MONT_NO_KEY);
            check("load", i, place->load(&dev, 0), MONT_OK);
        }
        check("operation", i, place->operate(&dev, 0), MONT_OK);
        memset(found, 0, sizeof found);
        if (cases[i].before)
            put(CONTROL, cases[i].before | (uint32_t)place->core->operands.words << 16);
        dev.wait = cases[i].wait, dev.polls = cases[i].polls, interrupted = false;
        check(cases[i].what, i, place->operate(&dev, 0), cases[i].error);
        check("what is written", i, memcmp(found, cases[i].error ? nothing : place->expected,
                                           place->length), 0);
        check("interrupts", i, interrupted, cases[i].wait == by_interrupt);
        dev.wait = NULL, dev.polls = place->core->polls;
    }
}

static void run(const struct place *place) {
    struct mont_core another = *place->core;
    const size_t count = another.results.words * ((another.results.width + 31) / 32);
    uint32_t clocks = 0;
    name = place->name, another.crc ^= 1;
    check("no core", 0, mont_open(&dev, place->core, ROM_BASE), MONT_NO_CORE);
    check("another core", 0, mont_open(&dev, &another, place->base), MONT_WRONG_CORE);
    check("mont_open", 0, mont_open(&dev, place->core, place->base), MONT_OK);
    irq_attach(place->interrupt, handle);
    irq_setmask(irq_getmask() | 1 << place->interrupt);
    place->enable(1);
    constants(place->core);
    fail(place);
    disturb(place->core, place->load);
    for (int n = 0; n < OPERATIONS; n++) {
        if (place->load && n % KEY_USES == 0)
            check("load", n, place->load(&dev, n), MONT_OK);
        memset(found, 0, sizeof found);
        check("operation", n, place->operate(&dev, n), MONT_OK);
        check("result", n, memcmp(found, place->expected + n * place->length, place->length), 0);
        clocks = n ? clocks : mont_cycles(&dev);
        check("clocks", n, mont_cycles(&dev), clocks);
        if (place->spoilt && n % KEY_USES == 0) {
            memset(found, 0, sizeof found);
            check("spoilt operation", n, place->spoilt(&dev, n), place->error);
            check("what is written", n, memcmp(found, nothing, sizeof found), 0);
            check("REFUSED", n, get(STATUS), place->error == MONT_REFUSED ? DONE | REFUSED : DONE);
            put(STATUS, REFUSED);
            check("REFUSED cleared", n, get(STATUS), DONE);
        }
        if (n % KEY_USES == KEY_USES - 1 || n == OPERATIONS - 1)
            printf("%s: %d operations, %lu clocks each\n", name, n + 1, (unsigned long)clocks);
    }
    check("mont_close", 0, mont_close(&dev), MONT_OK);
    check("STATUS after mont_close", 0, get(STATUS), 0);
    check("result after mont_close", 0, result_is(NULL, count), true);
    place->enable(0);
}

int main(void) {
    irq_setmask(0), irq_setie(1), uart_init();
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        run(&places[i]);
    printf(wrong ? "something is wrong\n" : "all is right\n");
    for (;;);
}
