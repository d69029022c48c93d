/** The suite cannot test anything: the message says what is wrong, and what to do. Exit code 2. */
export class CouldNotRun extends Error {}
