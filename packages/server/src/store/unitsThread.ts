// Entry point of the worker thread that `createUnitThread` starts.
import { workerData } from 'node:worker_threads'
import { serveThread } from '../lib/thread/serveThread.ts'
import { openCounter, openWriter } from './sqlite.ts'
import type { UnitMethods, UnitThreadData } from './unitThread.ts'

const { path, isCounter }: UnitThreadData = workerData
const units = isCounter ? openCounter(path) : openWriter(path)
const methods: UnitMethods = { run: ({ name, args }) => units.run(name, args) }
serveThread(methods, units.close)
