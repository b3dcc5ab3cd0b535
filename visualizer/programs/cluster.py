"""The cluster form of the lesson's pipeline: two CTAs share every tile by multicast and release each other's stages.

Each CTA's producer copies half of the tile and multicasts it to both CTAs, so each full barrier expects the whole tile
and gets its bytes from two copies. A stage may be written by either producer, so every consumer releases it in both
CTAs (mapa and a remote arrive), and no producer leaves before its tail: a peer may still arrive at its barriers.
"""

from __future__ import annotations

from visualizer.programs.builder import Builder
from visualizer.programs.program import Program

NAME = "cluster"
CTAS = 2
STAGES = 3
TILES = 8
TILE_BYTES = 16384
CONSUMERS = 2
"""Consumer warps in each CTA; one lane of each arrives."""


def cluster() -> Program:
    """Agents producer, consumer.w1.. and tma of each CTA, with a prefix `CTA1.`."""
    b = Builder(NAME, ctas=CTAS, config={"stages": STAGES, "tiles": TILES, "ctas": CTAS, "tile_bytes": TILE_BYTES})
    full = [b.barriers("full", STAGES, count=1, cta=cta) for cta in range(CTAS)]
    empty = [b.barriers("empty", STAGES, count=CONSUMERS * CTAS, cta=cta) for cta in range(CTAS)]
    for cta in range(CTAS):
        producer = b.agent("producer", role="producer", cta=cta, stages=STAGES, phase=1)
        producer.init_all()
        producer.cluster_sync()
        for _ in producer.tiles(TILES):
            producer.wait(empty[cta][producer.index], producer.phase)
            producer.arrive_expect_tx(full[cta][producer.index], TILE_BYTES)
            everywhere = [full[peer][producer.index] for peer in range(CTAS)]
            producer.copy(full[cta][producer.index], producer.index, TILE_BYTES // CTAS, multicast=everywhere)
            producer.advance()
        for _ in range(STAGES):
            producer.wait(empty[cta][producer.index], producer.phase)
            producer.advance()
        producer.exit()
        for warp in range(1, CONSUMERS + 1):
            consumer = b.agent(f"consumer.w{warp}", role="consumer", cta=cta, stages=STAGES)
            consumer.cluster_sync()
            for _ in consumer.tiles(TILES):
                consumer.wait(full[cta][consumer.index], consumer.phase)
                consumer.read(consumer.index, TILE_BYTES // CONSUMERS)
                for peer in range(CTAS):
                    consumer.arrive(empty[peer][consumer.index])
                consumer.advance()
            consumer.exit()
    return b.build()
