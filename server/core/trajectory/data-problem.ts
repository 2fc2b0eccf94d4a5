/** A fault of the data, not of the program: its message is a sentence for people and names the remedy where there is one. */
export class DataProblem extends Error {}
