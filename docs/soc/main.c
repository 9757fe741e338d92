/* Checks the cores of a SoC against OpenSSL: see soc.py.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <irq.h>
#include <libbase/uart.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cores.h"
#include "ecdsa.h"
#include "inputs.h"
#include "p256.h"
#include "rsa.h"
#include "x25519.h"

static bool wrong;
/* Clocks of the first operation of a core, which all others must take. */
static uint32_t first;

static void check(const char *what, int number, bool right)
{
    if (!right) {
        printf("%s %d: wrong\n", what, number);
        wrong = true;
    }
}

static void begin(struct mont *dev, const struct mont_core *core, uintptr_t base)
{
    enum mont_error error = mont_open(dev, core, base);
    if (error)
        printf("core at %lx: error %d\n", (unsigned long)base, error);
    wrong |= error != MONT_OK;
    first = 0;
}

static void same_time(const char *what, struct mont *dev, int number)
{
    uint32_t clocks = mont_cycles(dev);
    if (!first)
        first = clocks;
    check(what, number, clocks == first);
}

static void end(const char *what, struct mont *dev)
{
    check("the end of", 0, mont_close(dev) == MONT_OK);
    printf("%s: %d done, %lu clocks each\n", what, OPERATIONS, (unsigned long)first);
}

static void sign(void)
{
    struct mont dev;
    uint8_t found[256];
    begin(&dev, &rsa_core, RSA_ORIGIN);
    dev.public_exponent = 65537;
    /* exponent_p, exponent_q, p, q and the length of exponents, which is that of p and q */
    const struct mont_in key[] = {MONT_IN(rsa_dp[0]), MONT_IN(rsa_dq[0]), MONT_IN(rsa_p[0]),
                                  MONT_IN(rsa_q[0]), {NULL, 0}};
    check("RSA-2048 key", 0, mont_load(&dev, key) == MONT_OK);
    for (int n = 0; n < OPERATIONS; n++) {
        enum mont_error error = mont_sign(&dev, MONT_IN(rsa_message[n]), MONT_OUT(found));
        check("RSA-2048 signature", n, !error && !memcmp(found, rsa_signature[n], sizeof found));
        same_time("RSA-2048 clocks", &dev, n);
    }
    end("RSA-2048 signatures", &dev);
}

static void derive(void)
{
    struct mont dev;
    uint8_t found[32];
    begin(&dev, &p256_core, P256_ORIGIN);
    for (int n = 0; n < OPERATIONS; n++) {
        enum mont_error error = mont_ecdh(&dev, MONT_IN(p256_scalar[0]), MONT_IN(p256_point[n]),
                                          MONT_OUT(found));
        check("P-256 secret", n, !error && !memcmp(found, p256_secret[n], sizeof found));
        same_time("P-256 clocks", &dev, n);
    }
    /* A point that is not on the curve is refused, and nothing is written. */
    uint8_t other[64];
    memcpy(other, p256_point[0], sizeof other);
    other[63] ^= 1;
    memset(found, 0, sizeof found);
    check("P-256 refusal", 0, mont_ecdh(&dev, MONT_IN(p256_scalar[0]), MONT_IN(other),
                                        MONT_OUT(found)) == MONT_REFUSED && !found[31]);
    end("P-256 secrets", &dev);
}

static void exchange(void)
{
    struct mont dev;
    uint8_t found[32];
    begin(&dev, &x25519_core, X25519_ORIGIN);
    for (int n = 0; n < OPERATIONS; n++) {
        enum mont_error error = mont_x25519(&dev, MONT_IN(x25519_scalar[0]), MONT_IN(x25519_u[n]),
                                            MONT_OUT(found));
        check("X25519 secret", n, !error && !memcmp(found, x25519_secret[n], sizeof found));
        same_time("X25519 clocks", &dev, n);
    }
    end("X25519 secrets", &dev);
}

static void verify(void)
{
    struct mont dev;
    begin(&dev, &ecdsa_core, ECDSA_ORIGIN);
    for (int n = 0; n < OPERATIONS; n++) {
        check("P-256 signature", n, mont_ecdsa_verify(
            &dev, MONT_IN(ecdsa_digest[n]), MONT_IN(ecdsa_r[n]), MONT_IN(ecdsa_s[n]),
            MONT_IN(ecdsa_x[0]), MONT_IN(ecdsa_y[0])) == MONT_OK);
        same_time("verification clocks", &dev, n);
        uint8_t other[32];
        memcpy(other, ecdsa_digest[n], sizeof other);
        other[n % 32] ^= 1;
        check("P-256 signature of another digest", n, mont_ecdsa_verify(
            &dev, MONT_IN(other), MONT_IN(ecdsa_r[n]), MONT_IN(ecdsa_s[n]), MONT_IN(ecdsa_x[0]),
            MONT_IN(ecdsa_y[0])) == MONT_INVALID);
    }
    end("P-256 verifications", &dev);
}

int main(void)
{
    irq_setmask(0);
    irq_setie(1);
    uart_init();
    sign();
    derive();
    exchange();
    verify();
    printf(wrong ? "something is wrong\n" : "all is right\n");
    for (;;)
        ;
}
