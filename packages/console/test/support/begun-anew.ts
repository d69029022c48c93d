/**
 * Begins before each test, and ends after it.
 *
 * @returns ends what there is, and begins with other options
 */
export function begunAnew<Options, More>(
  begin: (options?: Options, more?: More) => Promise<AsyncDisposable>,
) {
  let present: AsyncDisposable
  const end = () => present[Symbol.asyncDispose]()
  beforeEach(async () => {
    present = await begin()
  })
  afterEach(end)
  return async (options?: Options, more?: More) => {
    await end()
    present = await begin(options, more)
  }
}
