import { parentPort, workerData } from 'node:worker_threads'
import { connectThread } from '../lib/connectThread.ts'
import { openCounter, openWriter } from './sqlite.ts'
import type { UnitAnswer, UnitRequest, UnitThreadOptions } from './unitThread.ts'

// Script of a thread that runs units.
const { path, isCounter } = workerData as UnitThreadOptions
const units = isCounter ? openCounter(path) : openWriter(path)

async function answer(request: UnitRequest): Promise<UnitAnswer | undefined> {
  if (request === null) {
    await units.close()
    parentPort?.close()
    return undefined
  }
  return units.run(request.name, request.args).then(
    (done) => ({ done }),
    (error: Error) => ({ error: error.name, message: error.message }),
  )
}

if (parentPort !== null) connectThread<never, never, UnitRequest>(parentPort, answer)
