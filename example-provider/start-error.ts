/** Something that the person who starts the example can put right. The message says how. */
export class StartError extends Error {
  override name = 'StartError'
}
