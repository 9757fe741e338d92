"""Serial adapters for boards that have no serial port of their own in :mod:`amaranth_boards`.

Pins are named as Amaranth names those of a connector, ``CONNECTOR_NUMBER:PIN``, or by the ball or
lead of the package. The command line can name two pins of any board.
"""

from __future__ import annotations

import dataclasses

from amaranth.build import Attrs, Pins, Platform, Resource, Subsignal

from .families import families

__all__ = ["ADAPTERS", "Adapter"]


@dataclasses.dataclass(frozen=True)
class Adapter:
    """The pins to which a serial adapter is attached.

    Attributes
    ----------
    rx, tx : str
        The pin at which the FPGA receives, and the pin at which it sends.
    note : str
        One line that says what else has to be done to the board; empty if nothing else.
    clock : str
        The resource that clocks the design, if the default clock cannot be used.
    high : tuple of str
        Pins to be driven high, so that nothing else drives ``rx`` or ``tx``.
    """

    rx: str
    tx: str
    note: str = ""
    clock: str = ""
    high: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str) -> Adapter:
        """Return the adapter on two different pins given as ``RX,TX``."""
        pins = [pin.strip() for pin in text.split(",")]
        if len(pins) != 2 or not all(pins) or pins[0] == pins[1]:
            raise ValueError(f"UART pins must be two different pins, RX,TX, not '{text}'; write "
                             "them as pmod_0:1,pmod_0:2 or by the package's names")
        return cls(pins[0], pins[1])

    @property
    def advice(self) -> str:
        """One line that says what has to be done to the board."""
        return self.note or (f"attach a serial adapter of 3.3 V that sends to pin {self.rx} and "
                             f"receives from pin {self.tx}")

    def attach(self, platform: Platform, family: str) -> None:
        """Add the resources ``adapter`` (with ``rx`` and ``tx``) and ``adapter_high``."""
        connected = {pin for connector in platform.connectors.values() for pin, _ in connector}
        for pin in (self.rx, self.tx, *self.high):
            if ":" in pin and pin not in connected:
                names = sorted({name.partition(":")[0] for name in connected})
                raise ValueError(f"Pin '{pin}' is on no connector of the board; "
                                 f"{'these are ' + ', '.join(names) if names else 'it has none'}")
        attributes = Attrs(**families()[family].levels)
        resources = [Resource("adapter", 0, Subsignal("rx", Pins(self.rx, dir="i")),
                              Subsignal("tx", Pins(self.tx, dir="o")), attributes)]
        if self.high:
            resources.append(Resource("adapter_high", 0, Pins(" ".join(self.high), dir="o"),
                                      attributes))
        platform.add_resources(resources)


#: Source of each entry: the connectors in :mod:`amaranth_boards`, unless a comment says otherwise.
ADAPTERS = {
    "fomu_hacker": Adapter("pin_0:1", "pin_1:1"),
    "ice40_hx1k_blink_evn": Adapter("pmod_1:1", "pmod_1:2"),
    "ice40_up5k_b_evn": Adapter("pmod_0:1", "pmod_0:2"),
    "icebreaker_bitsy": Adapter("pmod_1:1", "pmod_1:2"),
    "logicbone": Adapter("P8_0:3", "P8_0:4"),
    "logicbone_85f": Adapter("P8_0:3", "P8_0:4"),
    # The header has the names of the Feather's UART, D0 (RX) and D1 (TX).
    "orangecrab_r0_1": Adapter("io_0:0", "io_0:1"),
    "orangecrab_r0_2": Adapter("io_0:0", "io_0:1"),
    "orangecrab_r0_2_25f": Adapter("io_0:0", "io_0:1"),
    "orangecrab_r0_2_85f": Adapter("io_0:0", "io_0:1"),
    "tinyfpga_bx": Adapter("gpio_0:1", "gpio_0:2"),
    # upduino.pcf of the board's makers (tinyvision-ai): its USB bridge reaches the FPGA on the
    # wires of the flash alone, whose chip select must be high. The oscillator of the FPGA is good
    # to 10 % (FPGA-DS-02008, table 4.11), that of the board needs the jumper OSC.
    "upduino_v3": Adapter("15", "14", high=("16",), clock="clk12",
                          note="close the jumper OSC, which brings the 12 MHz to pin 20"),
}
