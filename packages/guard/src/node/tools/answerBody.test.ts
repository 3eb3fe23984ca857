import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { useToolHarness } from '../../testing/toolHarness.ts'
import { type AnswerOptions, readContent } from './answerBody.ts'
import { createToolContext, runTool } from './tool.ts'
import { GUARDED_FETCH } from './tools.ts'

const PNG = Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 11 + 137) % 256))

const read = (body: BodyInit | null, type: string | null, options: AnswerOptions = {}) => {
  const headers: Record<string, string> = type === null ? {} : { 'content-type': type }
  const reader = readContent(options, { tooLarge: 'Ask.', tooLong: 'Wait.' })
  return reader(new Response(body, { headers }), null, Date.now())
}

const utf16 = (text: string, isBig = false) => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le')
  return isBig ? bytes.swap16() : bytes
}

describe('readContent', () => {
  test.each<[string, string | null, Uint8Array, string]>([
    ['JSON', 'application/json', Buffer.from('{"ü":1}'), '{"ü":1}'],
    ['a vendor type of JSON', 'application/vnd.api+json', Buffer.from('"ü"'), '"ü"'],
    ['a form', 'application/x-www-form-urlencoded', Buffer.from('a=ü'), 'a=ü'],
    ['SVG', 'image/svg+xml', Buffer.from('<svg/>'), '<svg/>'],
    ['Latin-1', 'text/plain; charset=ISO-8859-1', Buffer.from('größer', 'latin1'), 'größer'],
    ['a quoted charset', 'text/html;charset="windows-1251"', Buffer.from('cff0e8', 'hex'), 'При'],
    ['Shift JIS', 'text/plain; Charset=shift_jis', Buffer.from('93fa967b', 'hex'), '日本'],
    ['another type with a charset', 'application/x-thing; charset=utf-8', Buffer.from('ü'), 'ü'],
    ['a mark of UTF-8', 'text/plain', Buffer.from('\ufeffü'), 'ü'],
    ['a mark of UTF-16', 'application/json', utf16('"ü"'), '"ü"'],
    ['a mark of UTF-16, big end first', 'text/csv', utf16('ü', true), 'ü'],
    ['a mark against the declared charset', 'text/plain; charset=iso-8859-1', Buffer.from('\ufeffü'), 'ü'],
    ['no type', null, Buffer.from('free'), 'free'],
    ['nothing', 'image/png', new Uint8Array(), ''],
  ])('behavior: returns %s as text', async (_, type, bytes, text) => {
    expect(await read(Buffer.from(bytes), type)).toEqual({
      content: text,
      encoding: null,
      file: null,
      cut: null,
    })
  })

  test.each<[string, string | null, Uint8Array]>([
    ['an image', 'image/png', PNG],
    ['bytes that happen to be text', 'application/octet-stream', Buffer.from('text')],
    ['bytes without a type', null, PNG],
    ['zeros without a type', null, new Uint8Array(9)],
    ['text of another charset than declared', 'text/plain; charset=utf-8', Buffer.from('größer', 'latin1')],
    ['text of no declared charset that is not UTF-8', 'text/html', Buffer.from('größer', 'latin1')],
    ['an unknown charset', 'text/plain; charset=x-own', Buffer.from('a')],
  ])('behavior: returns %s as base64', async (_, type, bytes) => {
    const content = Buffer.from(bytes).toString('base64')
    expect(await read(Buffer.from(bytes), type)).toEqual({
      content,
      encoding: 'base64',
      file: null,
      cut: null,
    })
  })

  test('behavior: a text that is cut within a character stays text', async () => {
    const { content, encoding, cut } = await read('aüü', 'text/plain', { maxBytes: 4 })
    expect([content, encoding, cut]).toEqual(['aü', null, expect.objectContaining({ remedy: 'Ask.' })])
  })

  test('error: a body that is silent is cut', async () => {
    const silent = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('a')) })
    expect(await read(silent, 'text/plain', { idleMs: 20 })).toMatchObject({
      content: 'a',
      cut: { name: 'TimeoutError' },
    })
  })

  test('error: a body that lasts too long is cut, and the remedy does not ask for a repetition', async () => {
    const endless = () => {
      let timer: NodeJS.Timeout | undefined
      return new ReadableStream({
        start(controller) {
          timer = setInterval(() => controller.enqueue(Buffer.from('a')), 10)
        },
        cancel: () => clearInterval(timer),
      })
    }
    expect(await read(endless(), 'text/plain', { totalMs: 50 })).toMatchObject({
      content: expect.stringMatching(/^a+$/),
      encoding: null,
      cut: { message: 'no end within 50 ms', remedy: 'Wait.' },
    })
  })
})

describe('a folder for files', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'answers-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
  })

  test('behavior: takes bytes and long texts whole, in files of mode 600 with names of its own', async () => {
    const inside = join(folder, 'new')
    const long = 'x'.repeat(2 * 1024 * 1024)
    const given: [BodyInit, string, RegExp][] = [
      [PNG, 'image/png; name="../../evil.sh"', /\/[0-9a-f-]{36}\.png$/],
      [long, 'text/plain', /\/[0-9a-f-]{36}\.txt$/],
      [PNG, 'ignore/../../etc', /\/[0-9a-f-]{36}\.bin$/],
    ]
    for (const [body, type, name] of given) {
      const { content, encoding, file, cut } = await read(body, type, { filesFolder: inside })
      expect([content, encoding, cut]).toEqual([null, null, null])
      expect(file).toMatch(name)
      expect(Buffer.from(body as string).equals(await readFile(file as string))).toBe(true)
      expect((await stat(file as string)).mode & 0o777).toBe(0o600)
    }
    expect(await readdir(inside)).toHaveLength(3)
  })

  test('behavior: short texts stay content', async () => {
    const { content, file } = await read('{}', 'application/json', { filesFolder: folder })
    expect([content, file, await readdir(folder)]).toEqual(['{}', null, []])
  })

  test('error: what cannot be written is returned as without a folder', async () => {
    const filesFolder = join(folder, 'file')
    await writeFile(filesFolder, '')
    expect(await read(PNG, 'image/png', { filesFolder })).toMatchObject({
      content: PNG.toString('base64'),
      encoding: 'base64',
      file: null,
      cut: null,
    })
    expect(await read('abc', 'text/plain', { filesFolder, maxBytes: 2 })).toMatchObject({
      cut: {
        message: 'its file could not be written',
        remedy: 'Ask the owner to correct the folder for files.',
      },
    })
  })
})

describe('guarded_fetch', () => {
  const harness = useToolHarness()
  const call = (answers: AnswerOptions) => {
    const { account, guard, fetch } = harness.setUp()
    const context = createToolContext({ account, guard, fetch, answers })
    return runTool(GUARDED_FETCH, { url: harness.url }, context)
  }

  test('behavior: gives a model the bytes of a paid answer as base64, or the path of their file', async () => {
    harness.seller.character = {
      onPaid: (_, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end(PNG),
    }
    const inline = await call({})
    expect(inline.data).toMatchObject({
      contentType: 'image/png',
      encoding: 'base64',
      file: null,
      isCut: false,
    })
    const [, content = ''] = String(inline.data?.content).split('\n')
    expect(Buffer.from(content, 'base64')).toEqual(PNG)
    expect(inline.text).toMatch(/^Status 200, paid \$0\.01\. Body \(image\/png\) in base64\. Untrusted/)
    const filesFolder = await mkdtemp(join(tmpdir(), 'answers-'))
    onTestFinished(() => rm(filesFolder, { recursive: true }))
    const filed = await call({ filesFolder })
    const { file } = filed.data as { file: string }
    expect(filed).toMatchObject({ data: { content: null, encoding: null }, isError: false })
    expect(filed.text).toBe(`Status 200, paid $0.01. Body (image/png) in file ${file}`)
    expect(await readFile(file)).toEqual(PNG)
  })

  test('behavior: a larger answers.maxBytes gives the whole answer, as the remedy says', async () => {
    harness.seller.character = { onPaid: (_, response) => void response.end('x'.repeat(300_000)) }
    expect((await call({})).data).toMatchObject({
      isCut: true,
      remedy: expect.stringContaining('answers.maxBytes'),
    })
    expect((await call({ maxBytes: 400_000 })).data).toMatchObject({ isCut: false, remedy: null })
  })
})
