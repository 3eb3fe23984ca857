import { FlowSchema, MomentumSchema, PulseSchema, WhalesSchema } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { recordWindow } from './testing/recordWindow.ts'

test('default: the recorded window is what the service answers about the same transfers', async () => {
  const answers = await recordWindow()
  PulseSchema.parse(answers.pulse)
  WhalesSchema.parse(answers.whales)
  FlowSchema.parse(answers.flow)
  MomentumSchema.parse(answers.momentum)
  await expect(`${JSON.stringify(answers, null, 2)}\n`).toMatchFileSnapshot('./recordedWindow.json')
})
