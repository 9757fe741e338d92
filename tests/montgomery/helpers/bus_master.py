"""A master of each bus, for cores with registers: it stalls at random, and checks the protocol."""

from montgomery.bus.registers import CONTROL, ID, STATUS

__all__ = ["BUSY", "CLEAR", "DONE", "ERROR_BUSY", "ERROR_KEY", "ERROR_WORDS", "HAS_KEY",
           "INTERRUPT", "LOAD", "REFUSED", "START", "BusError", "Master"]

START, LOAD, CLEAR, INTERRUPT = 1, 2, 4, 8
BUSY, DONE, REFUSED, HAS_KEY = 1, 2, 4, 8
ERROR_BUSY, ERROR_KEY, ERROR_WORDS = 1 << 8, 1 << 9, 1 << 10
#: Clocks after which an answer, or the end of a command, is late.
_PATIENCE = 200
_POLLS = 20_000


class BusError(Exception):
    """The bus answered with an error."""


class Master:
    """Reads and writes the registers of a :class:`~montgomery.bus.BusCore` in a testbench.

    With a random generator it waits before accesses, and before it takes answers.
    """

    def __init__(self, core, rng=None):
        self.core, self.map, self._rng = core, core.registers, rng
        self._port = getattr(core, core.bus.prefix)
        self.domain = "bus" if core.registers.own_clock else "sync"
        self._access = {"s_axi": self._axi, "wb": self._wishbone, "s_apb": self._apb}[
            core.bus.prefix]

    # -- Accesses.

    async def read(self, ctx, offset):
        return await self._access(ctx, offset, None, 15)

    async def write(self, ctx, offset, data, strobes=15):
        await self._access(ctx, offset, data, strobes)

    async def _pause(self, ctx):
        while self._rng is not None and self._rng.random() < 0.3:
            await ctx.tick(self.domain)

    async def _until(self, ctx, *signals):
        """Wait for a clock in which one of the signals is 1, and return them all."""
        for _ in range(_PATIENCE):
            values = [ctx.get(signal) for signal in signals]
            await ctx.tick(self.domain)
            if values[0]:
                return values
        raise AssertionError("the bus must answer")

    async def _axi(self, ctx, offset, data, strobes):
        port = self._port
        await self._pause(ctx)
        if data is None:
            ctx.set(port.araddr, offset)
            ctx.set(port.arvalid, 1)
            await self._until(ctx, port.arready)
            ctx.set(port.arvalid, 0)
            answer = (port.rvalid, port.rready, port.rresp, port.rdata)
        else:
            ctx.set(port.awaddr, offset)
            ctx.set(port.wdata, data)
            ctx.set(port.wstrb, strobes)
            # Address and data may come in either order.
            first, other = port.awvalid, port.wvalid
            if self._rng is not None and self._rng.random() < 0.5:
                first, other = other, first
            ctx.set(first, 1)
            await self._pause(ctx)
            ctx.set(other, 1)
            _, also = await self._until(ctx, port.awready, port.wready)
            assert also
            ctx.set(first, 0)
            ctx.set(other, 0)
            answer = (port.bvalid, port.bready, port.bresp, port.bresp)
        valid, ready, resp, content = answer
        held = None
        while self._rng is not None and self._rng.random() < 0.3:
            found = ctx.get(valid), ctx.get(resp), ctx.get(content)
            assert held is None or not held[0] or held == found, "an answer must stay"
            held = found
            await ctx.tick(self.domain)
        ctx.set(ready, 1)
        _, wrong, found = await self._until(ctx, valid, resp, content)
        ctx.set(ready, 0)
        assert not ctx.get(valid), "an access must have one answer"
        if wrong:
            raise BusError
        return found

    async def _wishbone(self, ctx, offset, data, strobes):
        port = self._port
        await self._pause(ctx)
        ctx.set(port.cyc, 1)
        await self._pause(ctx)
        for signal, value in ((port.stb, 1), (port.we, data is not None), (port.adr, offset // 4),
                              (port.dat_w, data or 0), (port.sel, strobes)):
            ctx.set(signal, value)
        for _ in range(_PATIENCE):
            ack, err, found = (ctx.get(each) for each in (port.ack, port.err, port.dat_r))
            await ctx.tick(self.domain)
            if ack or err:
                break
        else:
            raise AssertionError("the bus must answer")
        ctx.set(port.stb, 0)
        ctx.set(port.cyc, 0)
        assert ack + err == 1
        assert not ctx.get(port.ack) | ctx.get(port.err), "an access must have one answer"
        if err:
            raise BusError
        return found

    async def _apb(self, ctx, offset, data, strobes):
        port = self._port
        await self._pause(ctx)
        for signal, value in ((port.psel, 1), (port.pwrite, data is not None),
                              (port.paddr, offset), (port.pwdata, data or 0),
                              (port.pstrb, strobes)):
            ctx.set(signal, value)
        assert not ctx.get(port.pready)
        await ctx.tick(self.domain)
        ctx.set(port.penable, 1)
        _, wrong, found = await self._until(ctx, port.pready, port.pslverr, port.prdata)
        ctx.set(port.psel, 0)
        ctx.set(port.penable, 0)
        if wrong:
            raise BusError
        return found

    # -- What software does.

    async def opened(self, ctx):
        """Check the constant registers."""
        for register in self.map.registers:
            assert await self.read(ctx, register.offset) == register.value, register.name
        assert self.map.registers[0].value == ID

    async def put(self, ctx, name, words):
        """Write words to a window."""
        window = self.map.window(name)
        for index, word in enumerate(words):
            for part in range(window.slots_per_word):
                place = index * window.slots_per_word + part
                await self.write(ctx, window.offset + 4 * place, word >> 32 * part & 0xFFFFFFFF)

    async def command(self, ctx, bits, words=0):
        await self.write(ctx, 4 * CONTROL, bits | words << 16)

    async def status(self, ctx):
        return await self.read(ctx, 4 * STATUS)

    async def acknowledge(self, ctx, bits=0xFFFFFFFF):
        await self.write(ctx, 4 * STATUS, bits)

    async def ended(self, ctx):
        """Wait until nothing is being done; return the status."""
        for _ in range(_POLLS):
            status = await self.status(ctx)
            if not status & BUSY:
                return status
        raise AssertionError("a command must end")

    async def load(self, ctx, *key):
        words = self.map.params.encode_key(*key)
        await self.put(ctx, "KEY", words)
        await self.command(ctx, LOAD, len(words))
        status = await self.ended(ctx)
        await self.acknowledge(ctx)
        return status

    async def run(self, ctx, *operands, bits=START):
        """Do an operation; return the status, the words of the result and the clocks."""
        words = self.map.params.encode(*operands)
        await self.put(ctx, "OPERANDS", words)
        await self.command(ctx, bits, len(words))
        status = await self.ended(ctx)
        await self.acknowledge(ctx)
        return status, await self.result(ctx), await self.read(ctx, 0x1C)

    async def result(self, ctx):
        window, words = self.map.window("RESULT"), []
        for index in range(window.words):
            words.append(0)
            for part in range(window.slots_per_word):
                place = index * window.slots_per_word + part
                words[-1] |= await self.read(ctx, window.offset + 4 * place) << 32 * part
        return words
