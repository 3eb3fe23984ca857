import { expect, test } from 'vitest'
import {
  cosignedAt,
  type LogError,
  openCheckpoint,
  openNote,
  parseNote,
  parseVerifierKey,
  parseWitnessKey,
  readLogPolicy,
} from '../index.ts'

test('default: the example of C2SP signed-note', async () => {
  const note =
    'This is an example message.\n\n' +
    '— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n'
  const key = parseVerifierKey('example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k')
  expect((await openNote(note, [key])).text).toBe('This is an example message.\n')
})

test('default: the example of C2SP tlog-cosignature parses', () => {
  // Its keys are not published.
  const note =
    'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n' +
    '— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n' +
    '— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n'
  const [, cosignature] = parseNote(note).signatures
  expect(cosignature).toMatchObject({ name: 'witness.example.com/w1', keyId: 0x8d66cf3f })
  expect(cosignedAt(cosignature?.signature ?? new Uint8Array())).toBe(
    Date.parse('2023-03-20T12:25:47Z') / 1000,
  )
})

// From transparency-dev/formats, note/note_cosigv1_test.go, which expects this time.
test('default: the time of a cosignature', () => {
  const line =
    '— w ZGhGuQAAAABm/qTPeyKXD+R2rzyQsxPiP8mXum7qq/iF0u4vanlqJyocWODBt97w9uL+8qT7S5gxEHWWOworDcFiEBYJXORmnFBOBA==\n'
  const [cosignature] = parseNote(`x\n\n${line}`).signatures
  expect(cosignedAt(cosignature?.signature ?? new Uint8Array())).toBe(1_727_964_367)
})

/** A checkpoint of a public log, as its public witnesses cosigned it. It has a signature of another type, too. */
const CHECKPOINT = `arche2025h1.staging.ct.transparency.dev
1432088532
U7WM79jrzyhGZ5/GUBTpM7NzwdyfFx61t3RovgcC4Ro=

— arche2025h1.staging.ct.transparency.dev zTM8sQAAAZ5W0WdjBAMARjBEAiBjW5IQf9pvsYLfQFX6hoGREPMHbdQ3urbllzalApkptQIgIpwtEroeW2BXaHAI4kJXFbon5Ch9MNL5zRNZ55lvGt0=
— arche2025h1.staging.ct.transparency.dev ui8GwCF1+kWqZrxGdhj4aX3gcw7XUlXQQabg/27lefwhUkzbC3NygNI75MdhL1bfTW9g8Ei59RA23oHP7Ry1k3ZFWwQ=
— transparency.dev/DEV:witness-little-garden 2AQqhwAAAABqEiEgzgFIqqhbUoDwjMWE6UP8nd8/KYTzwZ2rhIgcqoXHAwVkjZr4AscylP3v7sEodkRAErumC2q44vdgJY096st5BQ==
— witness1.smartit.nu/witness1 pIyCDwAAAABqEiEghIp82KWebrw7/oHQwlTAm3g2RKS4+eebl8eO0WH+/iEcxZ75W3u5hNI7TOQtmJbqmNWVuE0tgh0XwzdZsDsUAQ==
— remora.n621.de 2net5wAAAABqEiEgPlfF3V06o0Y+fHM+J5J9s27wgxxcOVSpZ/2g/KSiXCg9DEZI+aVCIobWX9sXTynk5XeU/zZ0WBxtqB0DrAWfBw==
— witness.stagemole.eu Z/euoAAAAABqEiEgw0i+7g2ENfDAWHmtRzCfKTHSDwYDJA2NmKeGi9Y8FtEyOUvVr+AJmIY/2TUFucgKi7lI7cUiOvKFYe/TmN9DAg==
`
const LOG_KEY =
  'arche2025h1.staging.ct.transparency.dev+ba2f06c0+AU0vHmlGCS/PdN8b2OaGmKprLI8HKM+dJ472xgFYh15f'
const WITNESS_KEYS = [
  'transparency.dev/DEV:witness-little-garden+d8042a87+BCtusOxINQNUTN5Oj8HObRkh2yHf/MwYaGX4CPdiVEPM',
  'witness1.smartit.nu/witness1+a48c820f+BPSFWg9G6KPiO7QPryYO5Xq4oYJJ+kAvLKLSimDhoxMO',
  'remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2',
  'witness.stagemole.eu+67f7aea0+BEqSG3yu9YrmcM3BHvQYTxwFj3uSWakQepafafpUqklv',
]
const COSIGNED_AT = 0x6a122120 * 1000

test('default: a checkpoint of a public log that four public witnesses cosigned', async () => {
  const policy = readLogPolicy({ key: LOG_KEY, witnesses: WITNESS_KEYS, quorum: 4 })
  const { size, witnesses } = await openCheckpoint(CHECKPOINT, policy, COSIGNED_AT)
  expect(size).toBe(1_432_088_532)
  expect(witnesses).toEqual(WITNESS_KEYS.map((key) => ({ name: parseWitnessKey(key).name, at: COSIGNED_AT })))
})

test('error: the same checkpoint with another size, or three hours later', async () => {
  const policy = readLogPolicy({ key: LOG_KEY, witnesses: WITNESS_KEYS })
  const refused = (code: LogError['code']) => expect.objectContaining({ name: 'LogError', code })
  const forged = CHECKPOINT.replace('1432088532', '1432088533')
  await expect(openCheckpoint(forged, policy, COSIGNED_AT)).rejects.toEqual(refused('unsigned_checkpoint'))
  const late = openCheckpoint(CHECKPOINT, policy, COSIGNED_AT + 3 * 3_600_000)
  await expect(late).rejects.toEqual(refused('too_few_witnesses'))
})
