import { expect } from 'vitest'
import { formatSignerKey, parseSignerKey, type ReadPolicy, readLogPolicy, verifierKeyOf } from '../index.ts'
import { createLogPublisher, createMemoryLog, type MemoryLog } from '../publisher/index.ts'

/** Publishes a log of entries, and returns it with the policy that accepts its checkpoint. */
export async function publishLog(
  entries: readonly Uint8Array[],
): Promise<{ log: MemoryLog; policy: ReadPolicy }> {
  const log = createMemoryLog()
  for (const entry of entries) log.add(entry)
  const key = await formatSignerKey('log.example', new Uint8Array(32).fill(1))
  const signer = await parseSignerKey(key)
  const onError = (error: unknown) => expect.unreachable(`${error}`)
  await createLogPublisher({ log, signer, witnesses: [], now: Date.now, onError }).publish()
  return { log, policy: readLogPolicy({ key: await verifierKeyOf(key) }) }
}
