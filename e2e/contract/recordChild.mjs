// Loaded into the child processes of a recording (`node --import`).
import { recordAnswers } from './recordAnswers.mjs'

const { TOUCHSTONE_ANSWERS } = process.env
if (TOUCHSTONE_ANSWERS !== undefined) recordAnswers(TOUCHSTONE_ANSWERS)
