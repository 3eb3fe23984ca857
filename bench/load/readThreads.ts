/** Processor time of a service in seconds, by thread. */
export type ThreadSeconds = ReadonlyMap<string, number>

/** Reads the processor time of the threads of a service from its metrics. */
export async function readThreads(metricsUrl: string): Promise<ThreadSeconds> {
  const text = await (await fetch(metricsUrl)).text()
  const lines = text.matchAll(/^touchstone_thread_cpu_seconds_total\{thread="(\w+)"\} (\S+)$/gm)
  return new Map([...lines].map(([, thread = '', seconds]) => [thread, Number(seconds)]))
}
