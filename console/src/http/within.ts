/** Whether the work ends within that many milliseconds. If not, the work continues. */
export function endsWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), milliseconds)
    work.then(() => resolve(true), reject).finally(() => clearTimeout(timer))
  })
}
