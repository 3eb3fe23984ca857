import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { identifyCall } from './identifyCall.ts'
import { readRequest } from './request.ts'

const URL_ = 'https://api.example.com/upload'
const MIB = 1024 * 1024

async function identify(body: unknown, headers = {}): Promise<string> {
  const init = { method: 'POST', body: body as BodyInit, headers, duplex: 'half' } as RequestInit
  return (await identifyCall(readRequest(URL_, init), null)).body
}
const identifyRequest = async (body: BodyInit) =>
  (await identifyCall(readRequest(new Request(URL_, { method: 'POST', body }), undefined), null)).body

function form(content: string | Uint8Array<ArrayBuffer>, name = 'a.png'): FormData {
  const data = new FormData()
  data.append('title', 'weather')
  data.append('file', new Blob([content]), name)
  return data
}

test('default: a body is identified by its hash, none by nothing', async () => {
  expect(await identify('hello')).toBe(createHash('sha256').update('hello').digest('hex'))
  expect(await identify(null)).toBe('')
  expect(await identifyRequest('hello')).toBe(await identify(new TextEncoder().encode('hello')))
})

test('behavior: equal forms are one call, whatever their boundary, and others their own', async () => {
  const large = new Uint8Array(3 * MIB).fill(7)
  for (const identifyForm of [identify, identifyRequest]) {
    expect(await identifyForm(form('one'))).toBe(await identifyForm(form('one')))
    expect(await identifyForm(form(large))).toBe(await identifyForm(form(large)))
    const different = [form('one'), form('two'), form('one', 'b.png'), form(large), form(large.slice(1))]
    expect(new Set(await Promise.all(different.map((one) => identifyForm(one)))).size).toBe(5)
  }
})

test('behavior: a form that the caller has encoded itself is identified by its parts too', async () => {
  const write = (boundary: string, text: string) =>
    identify(`--${boundary}\r\ncontent-disposition: form-data; name="a"\r\n\r\n${text}\r\n--${boundary}--`, {
      'content-type': `multipart/form-data; boundary="${boundary}"`,
    })
  const [one, other] = ['0123456789abcdef', 'fedcba98765432100']
  expect(await write(one, 'x')).toBe(await write(other, 'x'))
  expect(await write(one, 'x')).not.toBe(await write(one, 'y'))
  // A caller's own word as a boundary may stand in the content too.
  expect(await write('city', 'the city of Rome')).not.toBe(await write('city', 'the  of Rome'))
})

test('behavior: bodies over 1 MiB are distinguished by their last byte, however they are cut', async () => {
  const bytes = new Uint8Array(2 * MIB + 5)
  const other = bytes.slice()
  other[other.length - 1] = 1
  expect(await identify(bytes)).toBe(
    await identify(new Blob([bytes.slice(0, 700_001), bytes.slice(700_001)])),
  )
  expect(await identify(bytes)).not.toBe(await identify(other))
})

test('behavior: what can be read only once equals nothing, not even itself', async () => {
  const streams = [
    () => new Blob(['hello']).stream(),
    () => Readable.from(['hello']),
    // As the streams of older libraries, which cannot be iterated.
    () => ({ pipe() {}, on() {} }),
  ]
  for (const create of streams) expect(await identify(create())).not.toBe(await identify(create()))
  const used = new Request(URL_, { method: 'POST', body: 'hello' })
  await used.text()
  const once = () => identifyCall(readRequest(used, undefined), null)
  expect((await once()).body).not.toBe((await once()).body)
})
