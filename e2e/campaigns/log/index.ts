import { makeAttacks, makeControls } from './attacks.ts'
import { inspectLog } from './inspect.ts'
import { killMany } from './kills.ts'
import { measureLog } from './measure.ts'
import { createKeys, growLog } from './world.ts'

/**
 * All tampering with the log is noticed, and a kill loses no leaf and no signed tree.
 *
 * Attacks the log: forks, rollbacks, cut and altered checkpoints, tiles, entries and openings must all be noticed, and
 * nothing else; kills of the process that writes it lose nothing; and appending and proving are fast enough.
 */
export async function run({ short }: { short: boolean }) {
  const keys = await createKeys()
  const parts = { keys, tree: await growLog(700), fork: await growLog(700, 280) }
  const attacks = await makeAttacks(parts)
  const controls = await makeControls(parts)
  let [noticed, falseAlarms] = [0, 0]
  for (const attack of attacks) {
    const refusal = await inspectLog(keys, attack)
    if (refusal !== null) noticed++
    else process.stderr.write(`not noticed: ${attack.name}\n`)
  }
  for (const control of controls) {
    const refusal = await inspectLog(keys, control)
    if (refusal === null) continue
    falseAlarms++
    process.stderr.write(`false alarm: ${control.name}: ${refusal}\n`)
  }
  process.stderr.write(`${noticed} of ${attacks.length} attacks noticed, ${controls.length} controls\n`)
  const speed = await measureLog(keys, short ? 50_000 : 1_000_000)
  process.stderr.write(`${JSON.stringify(speed)}\n`)
  const { kills, lost, heads } = await killMany(short ? 10 : 200)
  const figures = { ...speed, attacks: attacks.length, noticed, falseAlarms, kills, lost }
  const isFast = speed.appendPerSecond >= 20_000 && speed.proveMs <= 2 && speed.verifyMs <= 1
  // A run without signed trees would prove nothing.
  const isRight = noticed === attacks.length && falseAlarms === 0 && lost === 0 && heads >= kills / 2
  return { ok: isRight && (short || isFast), figures }
}
