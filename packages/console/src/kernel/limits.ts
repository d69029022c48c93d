/** So many alarms or permits are counted: what is more is told as more. */
export const MAX_COUNTED = 100
/** The longest id of an account or a client, in characters. */
export const MAX_ID_LENGTH = 255
/** The longest id of a customer that a provider can be told to take, by `limits.userIdLength`. */
export const MAX_CUSTOMER_ID_LENGTH = 1024
/** The longest cursor of a list, in characters. */
export const MAX_CURSOR_LENGTH = 200
