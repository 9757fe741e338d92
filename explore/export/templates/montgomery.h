/* Driver of cores of the package montgomery behind registers on a bus; bare metal, C99.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A core is described by data, "struct mont_core", in a header of its own, which holds the memory
 * that the driver works in as well: include that header in one source file. A program begins with
 * mont_open() and ends with mont_close(); a device is used by one thread at a time. Two devices of
 * one core need a memory each: copy the "struct mont_core", and change "work".
 *
 * Numbers are octets, the highest one first; those of key agreement (X25519, X448) and of EdDSA
 * are octets with the lowest one first, as RFC 7748 and RFC 8032 have them. Inputs may be shorter
 * than the core's numbers, and results are filled up with zeros. No octet of a result is written
 * unless MONT_OK is returned.
 *
 * Time: a core takes the same clocks for each secret of a length, but what mont_load() computes of
 * a key on the processor does not: where that can be measured, compute the words of the key
 * elsewhere, by encode_key() in Python, and send them by mont_load_words(). What blinding takes
 * depends on random numbers that are used once.
 *
 * What is needed of a C library are memset() and memcpy(), and __udivdi3() of the compiler's own.
 */
#ifndef MONTGOMERY_H
#define MONTGOMERY_H

#include <stddef.h>
#include <stdint.h>

/* Access to a register of 32 bits by its address: define both to have it otherwise. */
#ifndef mont_read
#define mont_read(address) (*(volatile uint32_t *)(address))
#define mont_write(address, value) ((void)(*(volatile uint32_t *)(address) = (value)))
#endif

enum mont_error {
    MONT_OK,         /* The command has ended, and its results are written. */
    MONT_NO_CORE,    /* There is no core at the address. */
    MONT_WRONG_CORE, /* The core is another one, or does not do this operation. */
    MONT_BUSY,       /* The core works on another command: wait, or call mont_clear(). */
    MONT_NO_KEY,     /* There is no key, or blinding needs its modulus, which is not known. */
    MONT_WORDS,      /* The core was sent a wrong number of words. */
    MONT_REFUSED,    /* The core refused the operands, or a check found the result wrong. */
    MONT_TIMEOUT,    /* The core took too long, and may still work: call mont_clear(). */
    MONT_RANGE,      /* A number is missing, or none that the core takes: too large, even where it
                        must be odd, or without an inverse; or a result has too few octets. */
    MONT_INVALID,    /* The signature is not valid. */
    MONT_ABORTED     /* mont_abort() ended the command. */
};

/* The number of a kind, in bits 7 to 0 of the register CAPABILITIES. */
enum mont_kind {
    MONT_MULTIPLIER, MONT_EXPONENTIATOR, MONT_RSA_CRT, MONT_INVERSION, MONT_HASH,
    MONT_SCALAR_MULTIPLICATION, MONT_BASE_MULTIPLICATION, MONT_KEY_AGREEMENT,
    MONT_ECDSA_VERIFICATION, MONT_EDDSA_VERIFICATION
};

/* Steps of formulas, over numbers on a stack. What follows a step in "code" is in brackets. */
enum mont_step {
    MONT_PUSH,      /* Push a number. [number] */
    MONT_CONSTANT,  /* Push a constant. [index] */
    MONT_NAME,      /* Push an input, or what MONT_STORE left. [index] */
    MONT_ABSENT,    /* Push 1 if an input is missing, else 0. [index] */
    MONT_EACH,      /* Push the constant whose turn it is in the loop. */
    MONT_WORD,      /* Push the word of the result whose turn it is in the loop. */
    MONT_JOIN,      /* Push the number that the words of the result are, the lowest one first. */
    MONT_NEG, MONT_BITS,
    MONT_RANDOM,    /* Replace a number of bits by a random number, or by 0 without any. */
    MONT_POW,       /* base, exponent, modulus */
    MONT_ADD, MONT_SUB, MONT_MUL, MONT_DIV, MONT_MOD, MONT_SHL, MONT_SHR, MONT_OR, MONT_MAX,
    MONT_GCD, MONT_LESS, MONT_EQUAL,
    MONT_INV,       /* x, modulus */
    MONT_ELSE,      /* x, y: x, or y if x is 0 */
    MONT_STORE,     /* Pop. [index] */
    MONT_CHECK,     /* Pop a number; if it is 0, the operation ends. [error] */
    MONT_EMIT,      /* Pop a number into words of the message, the lowest one first; in a loop,
                       that many words further on. [first word, words, bits, lowest bit] */
    MONT_EMIT_DOWN, /* The same, the highest word first; the first word is that of the lowest. */
    MONT_LOOP,      /* Repeat what is before MONT_NEXT, for constants. [first, count] */
    MONT_NEXT
};

/* What is sent as operands or as a key, or comes as a result. */
struct mont_message {
    uint16_t width, words;      /* Bits of a word, and words of the longest message. */
    uint16_t window;            /* Offset in octets from the base address. */
    uint16_t inputs, optional;  /* Numbers that it is made of, or, of results, that are made of it;
                                   and bits for those that may be missing. */
    uint16_t length;            /* Of code; 0 if numbers are to be made into words elsewhere. */
    const uint16_t *code;
};

struct mont_core {
    uint32_t kind, width, crc;  /* crc: the register CORE. */
    uint32_t polls;             /* Reads of STATUS to wait for a command. */
    uint32_t digest_bits;       /* Bits of a digest that count, in ECDSA. */
    struct mont_message operands, key, results;
    const uint16_t *constants;  /* Where each constant begins in "pool", and where the last ends. */
    const uint32_t *pool;
    uint32_t *work;             /* The message's words, and numbers of "limbs" words each. */
    uint16_t buffer, limbs, slots;
    uint16_t kept;              /* Names that have a meaning here, or 0: see montgomery.c. */
};

/* A number that is given, and where a number is written to. "bytes" NULL is no number. */
struct mont_in { const uint8_t *bytes; size_t length; };
struct mont_out { uint8_t *bytes; size_t length; };
#define MONT_IN(array) ((struct mont_in){(array), sizeof (array)})
#define MONT_OUT(array) ((struct mont_out){(array), sizeof (array)})

/* A device. mont_open() sets all of it; what has a comment may be changed afterwards. */
struct mont {
    const struct mont_core *core;
    uintptr_t base;
    enum mont_error error;
    volatile int aborted;
    uint32_t polls;             /* See "struct mont_core": more where the core's clock is slower
                                   than a 16th of the bus's. */
    enum mont_error (*wait)(struct mont *);   /* Waits for the interrupt, which is then enabled,
                                   and returns MONT_OK or MONT_TIMEOUT; NULL polls. */
    void (*random)(uint8_t *, size_t);        /* Gives octets nobody can guess, for blinding. */
    uint32_t public_exponent;   /* Of an RSA key: each result is checked by it, and messages are
                                   blinded if there are random numbers. */
    struct mont_in order;       /* p - 1, or lcm(p - 1, q - 1), by which mont_load() blinds the
                                   exponent of a key without factors; with factors p and q it needs
                                   none. The key needs 64 bits more for it. */
    struct mont_in modulus;     /* That of a key for mont_load_words(); with a multiplier without
                                   port for keys, the one of mont_load(), which must stay. */
};

/* Begin: MONT_NO_CORE or MONT_WRONG_CORE if what answers is not the core. */
enum mont_error mont_open(struct mont *dev, const struct mont_core *core, uintptr_t base);
/* End: clear the core, and wipe the driver's memory. */
enum mont_error mont_close(struct mont *dev);
/* Stop whatever the core does, and drop its key; wipe it, if it is made to. Waits for the end. */
enum mont_error mont_clear(struct mont *dev);
/* The same without waiting, also from an interrupt: mont_clear() has to follow. */
void mont_abort(struct mont *dev);
/* Wait for the end of a command. */
enum mont_error mont_wait(struct mont *dev);
/* Clocks that the last operation took. */
uint32_t mont_cycles(struct mont *dev);

/* Send a key: its inputs in the order of the core's header. exponent_bits may be no number: then
   it is the length of the modulus, or of the longer factor. */
enum mont_error mont_load(struct mont *dev, const struct mont_in *inputs);
/* Send a key whose words are known; count is that of "words", each of 32 bits. */
enum mont_error mont_load_words(struct mont *dev, const uint32_t *words, size_t count);
/* Do an operation of any kind: inputs and results in the order of the core's header. */
enum mont_error mont_run(struct mont *dev, const struct mont_in *inputs,
                         const struct mont_out *results);
/* The same with words, for hashes: octets, each in a word, and 256 as the last one. */
enum mont_error mont_run_words(struct mont *dev, const uint32_t *words, size_t count,
                               uint32_t *results, size_t result_count);

/* x * y / R modulo the modulus that was loaded; a core that keeps its results takes the last one
   for no number. */
enum mont_error mont_mul(struct mont *dev, struct mont_in x, struct mont_in y,
                         struct mont_out result);
/* base ** exponent, by an exponentiator. */
enum mont_error mont_modexp(struct mont *dev, struct mont_in base, struct mont_out result);
/* The private key's operation on a padded message, by a core for RSA or an exponentiator. */
enum mont_error mont_sign(struct mont *dev, struct mont_in message, struct mont_out signature);
/* The multiple of a point x || y (also 4 || x || y), or of the base point if that is the core's
   and "point" is no number: the first coordinate, or x || y in twice as many octets. */
enum mont_error mont_ecdh(struct mont *dev, struct mont_in scalar, struct mont_in point,
                          struct mont_out result);
/* X25519, and X448 if the core is for that: the lowest octets come first. */
enum mont_error mont_x25519(struct mont *dev, struct mont_in scalar, struct mont_in u,
                            struct mont_out result);
/* MONT_OK if r and s sign a digest, of any length; MONT_INVALID if they do not. */
enum mont_error mont_ecdsa_verify(struct mont *dev, struct mont_in digest, struct mont_in r,
                                  struct mont_in s, struct mont_in public_x,
                                  struct mont_in public_y);
#endif
