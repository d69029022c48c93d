/** Whether the work ends within that many milliseconds. If not, the work continues. */
export declare function endsWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean>
/**
 * What the work resolves with. If the work does not end within that many milliseconds, it rejects with
 * the error, and the work continues: what it did is not known then.
 */
export declare function limitTime<T>(
  milliseconds: number,
  work: T | PromiseLike<T>,
  tooLate: () => Error,
): Promise<T>
