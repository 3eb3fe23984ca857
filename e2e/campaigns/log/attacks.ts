import { decodeEntries, encodeEntries } from '@touchstone402/transparency'
import { type Answer, type Keys, NOW, ORIGIN, serveTree, signHead, type Tree } from './world.ts'

/** A log as a reader meets it. */
export type Case = {
  readonly name: string
  readonly answer: Answer
  /** Checkpoint that the reader saw before. @default none */
  readonly memory?: string
  /** The reader's clock. @default NOW */
  readonly now?: number
  /** Witnesses that must have signed. @default 2 */
  readonly quorum?: number
}

/** Trees and keys that cases are made from. */
export type Parts = {
  readonly keys: Keys
  /** 700 leaves. */
  readonly tree: Tree
  /** 700 leaves, other ones from leaf 280 on. */
  readonly fork: Tree
}

type Change = (bytes: Uint8Array) => Uint8Array | undefined

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const text =
  (change: (text: string) => string): Change =>
  (bytes) =>
    encode(change(decode(bytes)))
const flip =
  (at: number): Change =>
  (bytes) =>
    bytes.map((byte, index) => (index === (at < 0 ? bytes.length + at : at) ? byte ^ 1 : byte))
const entries =
  (change: (list: Uint8Array[]) => Uint8Array[]): Change =>
  (bytes) =>
    encodeEntries(change(decodeEntries(bytes) ?? []))
const swap = <T>(list: readonly T[], a: number, b: number): T[] =>
  list.map((item, index) => (index === a ? (list[b] ?? item) : index === b ? (list[a] ?? item) : item))

/** Makes everything that must be noticed. */
export async function makeAttacks({ keys, tree, fork }: Parts): Promise<Case[]> {
  const both = (at = NOW) => Promise.all(keys.witnesses.map(({ sign }) => sign(at)))
  const signed = async (from: Tree, size: number, at = NOW) =>
    signHead(from, size, [keys.log, ...(await both(at))])
  const [newest, middle, first] = [await signed(tree, 700), await signed(tree, 600), await signed(tree, 300)]
  const honest = serveTree(tree, newest)
  const [one, two] = await both()
  if (one === undefined || two === undefined) throw new Error('two witnesses sign')
  const other = await keys.unknownWitness.sign(NOW)
  const at = (wanted: string, change: Change): Answer => {
    return (path) => {
      const bytes = honest(path)
      return path === wanted && bytes !== undefined ? change(bytes) : bytes
    }
  }
  const checkpoint = (name: string, change: (note: string) => string): Case => ({
    name: `checkpoint: ${name}`,
    answer: at('checkpoint', text(change)),
  })
  const tile = (name: string, path: string, change: Change): Case => ({
    name: `${path}: ${name}`,
    answer: at(path, change),
  })
  const sign = async (
    name: string,
    signers: Parameters<typeof signHead>[2],
    more: Partial<Case> = {},
  ): Promise<Case> => ({
    name: `signatures: ${name}`,
    answer: serveTree(tree, await signHead(tree, 700, signers)),
    ...more,
  })
  const seen = (name: string, from: Tree, note: string, memory: string): Case => ({
    name: `history: ${name}`,
    answer: serveTree(from, note),
    memory,
  })
  const lineOf = (note: string, name: string) =>
    note.split('\n').find((line) => line.startsWith(`— ${name} `)) ?? ''
  const BUNDLE = 'tile/entries/001'
  const bundle = (name: string, change: Change) => tile(name, BUNDLE, change)
  const leaves = (name: string, change: (list: Uint8Array[]) => Uint8Array[]) => bundle(name, entries(change))
  const opening = (name: string, change: (text: string) => string) => tile(name, 'openings/001', text(change))
  return [
    checkpoint('a larger size', (note) => note.replace('\n700\n', '\n701\n')),
    checkpoint('a smaller size', (note) => note.replace('\n700\n', '\n699\n')),
    checkpoint('a size with a leading zero', (note) => note.replace('\n700\n', '\n0700\n')),
    checkpoint('no number', (note) => note.replace('\n700\n', '\n-1\n')),
    checkpoint('another root', (note) => note.replace(/\n[A-Za-z0-9+/]{43}=\n/, `\n${'A'.repeat(43)}=\n`)),
    checkpoint('a short root', (note) => note.replace(/\n[A-Za-z0-9+/]{43}=\n/, '\nAAAA\n')),
    checkpoint('another origin', (note) => note.replace(ORIGIN, 'other.example/log')),
    checkpoint('an unsigned extension line', (note) => note.replace('\n\n', '\nmore\n\n')),
    checkpoint('cut in the middle', (note) => note.slice(0, note.length / 2)),
    checkpoint('empty', () => ''),
    checkpoint('a page', () => '<!doctype html><title>Log</title>'),
    checkpoint('the log has not signed', (note) => note.replace(`${lineOf(note, ORIGIN)}\n`, '')),
    checkpoint('a signature moved to another name', (note) => note.replace('— w2.example', '— w3.example')),
    checkpoint('one witness twice', (note) =>
      note.replace(lineOf(note, 'w3.example'), lineOf(note, 'w2.example')),
    ),
    { name: 'checkpoint: none', answer: (path) => (path === 'checkpoint' ? undefined : honest(path)) },
    await sign('another key of the same origin', [keys.stranger, one, two]),
    await sign('no witness', [keys.log]),
    await sign('one of two witnesses', [keys.log, one]),
    await sign('an unknown witness', [keys.log, one, other]),
    await sign('cosignatures of three hours ago', [keys.log, ...(await both(NOW - 3 * 3_600_000))]),
    await sign('cosignatures of tomorrow', [keys.log, ...(await both(NOW + 86_400_000))]),
    { name: 'signatures: a frozen log', answer: honest, now: NOW + 3 * 3_600_000 },
    seen('rolled back by a hundred', tree, middle, newest),
    seen('rolled back by four hundred', tree, first, newest),
    seen('a fork of equal size', fork, await signed(fork, 700), newest),
    seen('a fork that is larger', fork, await signed(fork, 700), middle),
    seen('a fork that is much larger', fork, await signed(fork, 700), first),
    seen('a fork that is smaller', fork, await signed(fork, 600), newest),
    seen('a fork served with the tiles of the other', tree, await signed(fork, 700), first),
    seen('emptied', tree, await signed(tree, 0), first),
    tile('a byte of the first hash', 'tile/0/000', flip(0)),
    tile('a byte of the last hash', 'tile/0/001', flip(-1)),
    tile('a byte of the partial tile', 'tile/0/002.p/188', flip(40)),
    tile('a byte above', 'tile/1/000.p/2', flip(33)),
    tile('cut', 'tile/0/001', (bytes) => bytes.slice(0, -32)),
    tile('cut within a hash', 'tile/0/001', (bytes) => bytes.slice(0, -5)),
    tile('longer', 'tile/1/000.p/2', (bytes) => Uint8Array.from([...bytes, ...bytes])),
    tile('lost', 'tile/1/000.p/2', () => undefined),
    tile('lost partial tile', 'tile/0/002.p/188', () => undefined),
    tile('of another place', 'tile/1/000.p/2', () => tree.tile(0, 0, 2)),
    tile('zeros after a crash', 'tile/0/002.p/188', (bytes) => new Uint8Array(bytes.length)),
    tile('two hashes swapped', 'tile/1/000.p/2', (bytes) =>
      Uint8Array.from([...bytes.slice(32), ...bytes.slice(0, 32)]),
    ),
    bundle('a byte of a leaf', flip(30)),
    bundle(
      'a verdict changed',
      text((all) => all.replace('"safe"', '"damn"')),
    ),
    leaves('a leaf left out', (list) => list.slice(1)),
    leaves('a leaf left out and another repeated', (list) => [
      ...list.slice(1),
      list[1] ?? list[0] ?? encode(''),
    ]),
    leaves('a leaf added', (list) => [...list, encode('{"at":"","kind":"x"}')]),
    leaves('two leaves swapped', (list) => swap(list, 3, 200)),
    leaves('white space in a leaf', (list) =>
      list.map((leaf, index) => (index === 5 ? encode(decode(leaf).replace(',', ', ')) : leaf)),
    ),
    bundle('cut', (bytes) => bytes.slice(0, -10)),
    bundle('lost', () => undefined),
    bundle('of another place', () => honest('tile/entries/000')),
    tile('the last leaf changed', 'tile/entries/002.p/188', flip(-3)),
    {
      name: 'a leaf and its tiles changed together',
      answer: (path) =>
        path === BUNDLE || path === 'tile/0/001' ? serveTree(fork, newest)(path) : honest(path),
    },
    {
      name: 'all leaves and tiles of a fork under the old checkpoint',
      answer: serveTree(fork, newest),
    },
    opening('another endpoint', (all) => all.replace('/301"', '/302"')),
    opening('another salt', (all) => all.replace('"salt":"', '"salt":"AAAA')),
    opening('two openings swapped', (all) => swap(all.split('\n'), 0, 1).join('\n')),
    tile(
      'an opening where there was none',
      'openings/000',
      text((all) => `${all.split('\n')[1]}${all}`),
    ),
  ]
}

/** Makes everything in which nothing is wrong. */
export async function makeControls({ keys, tree }: Parts): Promise<Case[]> {
  const both = await Promise.all(keys.witnesses.map(({ sign }) => sign(NOW)))
  const signed = async (size: number) => signHead(tree, size, [keys.log, ...both])
  const newest = await signed(700)
  const honest = serveTree(tree, newest)
  const other = await keys.unknownWitness.sign(NOW)
  const sizes = [1, 255, 256, 257, 300, 512, 600, 699, 700]
  return [
    { name: 'a new reader', answer: honest },
    { name: 'an empty log', answer: serveTree(tree, await signed(0)) },
    ...(await Promise.all(
      sizes.map(async (size) => ({ name: `seen at ${size}`, answer: honest, memory: await signed(size) })),
    )),
    ...(await Promise.all(
      sizes.map(async (size) => ({ name: `served at ${size}`, answer: serveTree(tree, await signed(size)) })),
    )),
    {
      name: 'openings were deleted',
      answer: (path) => (path === 'openings/001' ? encode('\n'.repeat(256)) : honest(path)),
    },
    {
      name: 'a witness that the reader does not know signed too',
      answer: serveTree(tree, await signHead(tree, 700, [keys.log, ...both, other])),
    },
    {
      name: 'one of two witnesses is enough for the reader',
      answer: serveTree(tree, await signHead(tree, 700, [keys.log, ...both.slice(0, 1)])),
      quorum: 1,
    },
    { name: 'a clock an hour ahead', answer: honest, now: NOW + 3_600_000 },
    { name: 'a clock four minutes behind', answer: honest, now: NOW - 240_000 },
  ]
}
