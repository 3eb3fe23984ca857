import type { Flow, Momentum, Pulse, Whales } from '@touchstone402/shared'
import type { Address, ReadOptions, TransferSource } from '../types.ts'
import { measureActivity } from './activity.ts'
import { readPrevious, readTrailing } from './earlierWindows.ts'
import { describeFlow } from './flow.ts'
import { measureFlow } from './flowFigures.ts'
import { compareWindows } from './momentum.ts'
import { BUCKETS, measurePulse, splitBlocks } from './pulse.ts'
import type { Reading, WindowReader } from './readWindow.ts'
import { describeWhales, selectWhales } from './whales.ts'

type Limits = ReadOptions & { readonly partial?: boolean | undefined }

/** Builds answers from a window that was read. */
export type WindowAnswers = {
  /** @param starts first block of each part of the series. @default parts of equal numbers of blocks */
  pulse(reading: Reading, limits: Limits, starts?: readonly number[]): Promise<Pulse>
  /** `min` is in token units; `limit` is the maximum number of rows. */
  whales(reading: Reading, limits: Limits & { min?: string | undefined; limit?: number }): Promise<Whales>
  flow(reading: Reading, limits: Limits): Promise<Flow>
  momentum(reading: Reading, limits: Limits): Promise<Momentum>
}

const isoOf = (seconds: number | null) => (seconds === null ? null : new Date(seconds * 1000).toISOString())

/** Creates the answers to windows of a transfer source. */
export function createWindowAnswers(source: TransferSource, { complete }: WindowReader): WindowAnswers {
  // No deadline: a partial answer has used up its time, and its blocks still need dates.
  const datesOf = async (blocks: readonly number[], { signal }: Limits) => {
    const times = await source.blockTimes(blocks, { signal })
    return (block: number) => times.get(block) ?? 0
  }
  return {
    async pulse(reading, limits, given) {
      const { columns, context } = reading
      const starts = given ?? splitBlocks(context.window, BUCKETS)
      const [full, timeOf] = await Promise.all([
        complete(reading, [], limits),
        datesOf(
          starts.filter((block) => block <= context.window.toBlock),
          limits,
        ),
      ])
      return measurePulse(columns, full, starts, timeOf)
    },
    async whales(reading, { min, limit, ...limits }) {
      const { columns, context } = reading
      const selection = selectWhales(columns, context.token.decimals, min, limit)
      const [full, timeOf] = await Promise.all([
        complete(reading, selection.addresses, limits),
        datesOf(selection.blocks, limits),
      ])
      return describeWhales(columns, selection, full, timeOf)
    },
    async flow(reading, limits) {
      const figures = measureFlow(reading.columns)
      const shown = [...figures.accumulators, ...figures.distributors].map(({ address }) => address)
      return describeFlow(figures, await complete(reading, shown, limits))
    },
    async momentum(reading, limits) {
      const { columns, context, heads, startsAt, seconds } = reading
      const token: Address = context.token.address
      const current = { token, fromBlock: context.window.fromBlock, startsAt, seconds, heads }
      const { signal, deadlineAt, allowance } = limits
      const previous = await readPrevious(source, current, limits)
      const [trailing, full] = await Promise.all([
        readTrailing(source, current, previous, { signal, deadlineAt, allowance }),
        complete(reading, [], limits),
      ])
      return compareWindows(
        measureActivity(columns),
        measureActivity(previous.columns),
        trailing.map(measureActivity),
        full,
        {
          fromBlock: previous.fromBlock,
          toBlock: previous.toBlock,
          fromTime: isoOf(previous.fromTime),
          toTime: isoOf(previous.toTime),
          complete: previous.complete,
        },
      )
    },
  }
}
