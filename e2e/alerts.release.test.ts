import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { checksNoAnswers } from './contract/checksNoAnswers.ts'
import { isInstalled } from './support/proxies/installed.ts'

checksNoAnswers('no server is started')

const DOCS = fileURLToPath(new URL('../docs/', import.meta.url))
const read = (name: string) => readFile(DOCS + name, 'utf8')

test('default: each alert fires when it should and stays silent otherwise, as Prometheus evaluates it', async () => {
  if (!isInstalled('promtool', 'prometheus'))
    throw new Error('promtool is not installed: apt-get install prometheus')
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', 'prometheus-alerts.test.yml'], {
    cwd: DOCS,
    encoding: 'utf8',
  })
  expect([status, stdout.trim().split('\n').at(-1)?.trim(), stderr]).toEqual([0, 'SUCCESS', ''])

  const alerts = [...(await read('prometheus-alerts.yml')).matchAll(/^ +- alert: (\w+)$/gm)]
  const tests = await read('prometheus-alerts.test.yml')
  expect(alerts.length).toBeGreaterThan(30)
  for (const [, alert] of alerts) {
    expect(tests).toMatch(new RegExp(`alertname: ${alert}\n +exp_alerts:\n +- exp_labels:`))
    expect(tests).toMatch(new RegExp(`alertname: ${alert}\n +exp_alerts: \\[\\]`))
  }
})
