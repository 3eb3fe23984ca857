/** Commands that declare what they take: one parser and one help for every command line of the project. */
export {
  type Command,
  type CommandDeclaration,
  defineCommand,
  describeUnknown,
  findCommand,
  listGroup,
} from './command.ts'
export {
  type Described,
  describeCommands,
  describeHelp,
  describeInputs,
  describeUsage,
} from './describeCommand.ts'
export {
  choiceOption,
  flag,
  type Input,
  type Inputs,
  listOption,
  numberOption,
  option,
  optionalWord,
  requiredOption,
  type ValuesOf,
  word,
} from './inputs.ts'
export { CommandLineError, readInputs } from './readInputs.ts'
