// Entry point of the worker thread that `createDocumentParser` starts.
import { parentPort } from 'node:worker_threads'
import { connectThread } from '../../lib/connectThread.ts'
import { yieldPriority } from '../../probe/thread/yieldPriority.ts'
import { type DocumentWork, parseDocument } from './parseDocument.ts'

if (parentPort === null) throw new Error('documentsThread must run in a worker thread')
yieldPriority()
connectThread<never, never, DocumentWork>(parentPort, async (work) => parseDocument(work)).sayLoaded()
