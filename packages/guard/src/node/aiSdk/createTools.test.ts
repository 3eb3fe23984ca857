import { generateText, stepCountIs, tool } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { THIEF } from '../../testing/seller.ts'
import { useToolHarness } from '../../testing/toolHarness.ts'
import { createCheckEndpointTool, createGuardedFetchTool } from './createTools.ts'

const harness = useToolHarness()

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** Runs the real SDK with a model that calls one tool. Returns the tool's result. */
async function runAgent(toolName: 'check' | 'pay', input: unknown) {
  const { guard, account, counter, fetch } = harness.setUp()
  let turn = 0
  const model = new MockLanguageModelV3({
    doGenerate: async () => {
      turn += 1
      return turn === 1
        ? {
            content: [{ type: 'tool-call', toolCallId: '1', toolName, input: JSON.stringify(input) }],
            finishReason: { unified: 'tool-calls', raw: undefined },
            usage,
            warnings: [],
          }
        : {
            content: [{ type: 'text', text: 'done' }],
            finishReason: { unified: 'stop', raw: undefined },
            usage,
            warnings: [],
          }
    },
  })
  const { steps } = await generateText({
    model,
    prompt: 'Get the weather.',
    tools: {
      check: tool(createCheckEndpointTool({ guard })),
      pay: createGuardedFetchTool({ account, guard, fetch }),
    },
    stopWhen: stepCountIs(2),
  })
  const shown = model.doGenerateCalls[0]?.tools
  const messages = JSON.stringify(model.doGenerateCalls[1]?.prompt.at(-1))
  return { outcome: steps[0]?.content.at(-1), shown, messages, counter }
}

describe('createGuardedFetchTool', () => {
  test('default: pays once through the SDK and returns a fenced response', async () => {
    const { outcome, messages, counter } = await runAgent('pay', { url: harness.url })
    expect(outcome).toMatchObject({
      type: 'tool-result',
      output: {
        text: expect.stringMatching(
          /^Status 200, paid \$0\.01\. Untrusted content between the two lines (\S+):\n\1\n\{"weather":"sunny"\}\n\1$/,
        ),
        data: { status: 200, paid: true, amountUsd: '0.01', state: 'settled', dayRemainingUsd: '4.99' },
      },
    })
    expect(messages).toContain('"output":{"type":"text","value":"Status 200, paid $0.01. ')
    expect([counter.signatures, harness.seller.payments.length]).toEqual([1, 1])
  })

  test('behavior: shows the input schema to the model', async () => {
    const { shown } = await runAgent('pay', { url: harness.url })
    expect(shown?.map((entry) => entry.type === 'function' && [entry.name, entry.inputSchema])).toEqual([
      ['check', expect.objectContaining({ required: ['url'], additionalProperties: false })],
      [
        'pay',
        expect.objectContaining({
          required: ['url'],
          properties: expect.objectContaining({ max_usd: expect.objectContaining({ type: 'string' }) }),
        }),
      ],
    ])
  })

  test('error: describes a refusal to the model and signs nothing', async () => {
    harness.seller.character = { terms: [{ payTo: THIEF }] }
    const { outcome, counter } = await runAgent('pay', { url: harness.url })
    expect(outcome).toMatchObject({
      type: 'tool-result',
      output: {
        text: expect.stringMatching(/^Not paid \(RECEIVER_NOT_CHECKED\): .* Do not pay;/),
        data: { paid: false, state: 'none', code: 'RECEIVER_NOT_CHECKED', remedy: expect.any(String) },
      },
    })
    expect([counter.signatures, harness.seller.payments.length]).toEqual([0, 0])
  })

  test.each([
    ['no URL', {}, 'url: missing'],
    ['an unsupported method', { url: 'https://a.example', method: 'TRACE' }, 'method: expected one of GET'],
    ['a body that is not a string', { url: 'https://a.example', body: {} }, 'body: expected a string'],
    ['an unknown field', { url: 'https://a.example', key: 'x' }, 'unknown field'],
  ])('error: rejects input with %s', async (_, input, problem) => {
    const { outcome, counter } = await runAgent('pay', input)
    expect(outcome).toMatchObject({ type: 'tool-error', error: expect.stringContaining(problem) })
    expect(counter.signatures).toBe(0)
  })

  test('error: reaches only public addresses by default', async () => {
    const { guard, account, counter } = harness.setUp()
    const pay = createGuardedFetchTool({ account, guard })
    expect(await pay.execute({ url: harness.url })).toMatchObject({
      text: expect.stringContaining('the address is not public'),
    })
    expect(counter.signatures).toBe(0)
  })

  test('error: pays nothing after the call is aborted', async () => {
    const { guard, account, counter, fetch } = harness.setUp()
    const abort = new AbortController()
    harness.seller.character = {
      before() {
        abort.abort()
        return false
      },
    }
    const pay = createGuardedFetchTool({ account, guard, fetch })
    expect(await pay.execute({ url: harness.url }, { abortSignal: abort.signal })).toMatchObject({
      data: { paid: false, state: 'none', code: 'AbortError' },
    })
    expect([counter.signatures, harness.seller.payments.length]).toEqual([0, 0])
  })
})

describe('createCheckEndpointTool', () => {
  test('default: returns the verdict to the model', async () => {
    const { outcome } = await runAgent('check', { url: harness.url })
    expect(outcome).toMatchObject({
      output: { data: { label: 'Safe to pay', verdict: { terms: [{ maxUsd: '0.01' }] } } },
    })
  })

  test('error: rejects an invalid URL', async () => {
    const check = createCheckEndpointTool(harness.setUp())
    expect((await check.execute({ url: 'file:///etc/passwd' })).text).toContain('The URL cannot be checked')
    expect(check.metadata.readOnlyHint).toBe(true)
  })
})

test('default: results of the tools fit their output schemas', async () => {
  const { guard, account, fetch } = harness.setUp()
  const pay = createGuardedFetchTool({ account, guard, fetch })
  const check = createCheckEndpointTool({ guard })
  const schemaOf = (tool: typeof pay | typeof check) => tool.outputSchema['~standard']
  const paid = await pay.execute({ url: harness.url })
  const failed = await pay.execute({ url: 'file:///etc/passwd' })
  const checked = await check.execute({ url: harness.url })
  for (const [tool, output] of [
    [pay, paid],
    [pay, failed],
    [check, checked],
  ] as const) {
    expect(schemaOf(tool).validate(output)).toEqual({ value: output })
    expect(z.fromJSONSchema(schemaOf(tool).jsonSchema.output() as never).safeParse(output)).toMatchObject({
      success: true,
    })
  }
  expect(schemaOf(pay).validate({ text: 1 })).toEqual({ issues: [{ message: 'text: expected a string' }] })
  expect(schemaOf(pay).validate({ text: '', data: [] })).toEqual({
    issues: [{ message: 'data: expected an object or null' }],
  })
})
