/** @throws TypeError when `keepFor` is neither absent nor a whole number of seconds, 1 or more. */
export function parseKeepFor(
  { keepFor }: { readonly keepFor?: number | undefined },
  caller: string,
): number | undefined {
  if (keepFor === undefined || (Number.isSafeInteger(keepFor) && keepFor >= 1)) return keepFor
  throw new TypeError(`${caller}: keepFor must be a whole number of seconds, 1 or more`)
}
