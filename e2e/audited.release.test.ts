// What is opened in a browser, typed into a shell or run by an operator, on the audited economy. It is one test file, so
// that one worker audits it, once.
import './audited/truth.ts'
import './audited/browser.ts'
import './audited/recipes.ts'
import './audited/docsSamples.ts'
import './audited/logRecompute.ts'
import './audited/commands.ts'
