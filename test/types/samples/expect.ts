/** `true` where the two types are the same, and `false` where one is only assignable to the other. */
export type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Compiles where the type argument is `true`. */
export declare function holds<_Statement extends true>(): void
