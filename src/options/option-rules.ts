/** What one option must be. `undefined` always means absent. */
export type Rule = {
  /** What the option is, for errors. An option without this text may be absent. */
  readonly required?: string
} & (
  | { type: 'boolean'; default: boolean | undefined }
  | { type: 'integer'; min: number; max: number; default: number | undefined }
  | { type: 'scope' | 'path' | 'resource'; default: string }
  | { type: 'text' | 'url'; default: string | undefined }
  | { type: 'oneOf'; values: readonly string[]; default: string }
  | ClientRule<unknown>
  | { type: 'stringMap'; default: Readonly<Record<string, string>> }
  | { type: 'someOf'; values: readonly string[]; default: readonly string[] }
  | ClientsRule<unknown>
  | FunctionRule<unknown>
  | SchemaRule<unknown>
  | ObjectRule<unknown>
  | ValidRule<unknown>
  | {
      type: 'list'
      of: Rule | Shape
      /** What the entries are, for the error. */
      what: string
      atLeast: 0 | 1
      default: readonly never[] | undefined
    }
  | { type: 'group'; of: Shape; default: undefined }
)

/** A tree of rules, in the shape of the options. */
export interface Shape {
  readonly [name: string]: Rule | Shape
}

/** Whether a node of the tree is a rule, and not a group of options. */
export function isRule(node: Rule | Shape): node is Rule {
  return typeof node.type === 'string'
}

// The member `value` exists in the type alone: it says what the option holds.

export interface ClientsRule<T> {
  readonly type: 'clients'
  readonly default: { readonly [action: string]: readonly string[] }
  readonly value?: T
}

/** Clients that are named: their ids, or a function of the client. */
export interface ClientRule<T> {
  readonly type: 'clientRule'
  readonly default: readonly string[]
  readonly value?: T
}

interface ValueRule<T> {
  readonly default: undefined
  readonly value?: T
}

export type FunctionRule<T> = ValueRule<T> & { readonly type: 'function' }

export type SchemaRule<T> = ValueRule<T> & { readonly type: 'schema' }

export type ObjectRule<T> = ValueRule<T> & {
  readonly type: 'object'
  readonly methods: readonly string[]
}

/** A value that a function recognizes. */
export interface ValidRule<T> {
  readonly type: 'valid'
  readonly isValid: (value: unknown) => boolean
  /** What the option must be, for the error. */
  readonly what: string
  readonly default: T | undefined
  readonly value?: T
}

/** A rule for an object of the type `T`: for each action, which clients may do it by default. */
export function clientsRule<T>(
  defaults: Readonly<Record<keyof T & string, readonly string[]>>,
): ClientsRule<T> {
  return { type: 'clients', default: defaults }
}

/** A rule for the clients that an option of the type `T` names. */
export function clientRule<T>(defaults: readonly string[]): ClientRule<T> {
  return { type: 'clientRule', default: defaults }
}

/** A rule for a function of the type `T`. The check sees that it is a function, and no more. */
export function functionRule<T>(): FunctionRule<T> {
  return { type: 'function', default: undefined }
}

/** A rule for a validator of the type `T`: a function or a Standard Schema. */
export function schemaRule<T>(): SchemaRule<T> {
  return { type: 'schema', default: undefined }
}

/** A rule for an object of the type `T`. The check sees that it has the methods, and no more. */
export function objectRule<T>(...methods: readonly (keyof T & string)[]): ObjectRule<T> {
  return { type: 'object', methods, default: undefined }
}

/** A rule for a value of the type `T`, and what it must be, for the error. */
export function validRule<T>(isValid: (value: unknown) => boolean, what: string): ValidRule<T> {
  return { type: 'valid', isValid, what, default: undefined }
}

/** What the options of a shape are once they are checked and every default is filled in. */
export type Resolved<S> = {
  readonly [Name in keyof S]: S[Name] extends Rule ? ValueOf<S[Name]> : Resolved<S[Name]>
}

type ValueOf<R extends Rule> = R extends { readonly required: string }
  ? NonNullable<ValueByType<R>>
  : ValueByType<R>

type ValueByType<R extends Rule> = R extends { readonly type: 'boolean' }
  ? boolean | R['default']
  : R extends { readonly type: 'integer' }
    ? number | R['default']
    : R extends { readonly type: 'scope' | 'path' | 'resource' | 'text' | 'url' }
      ? string | R['default']
      : R extends { readonly type: 'oneOf' }
        ? R['values'][number]
        : R extends { readonly type: 'someOf' }
          ? readonly R['values'][number][]
          : R extends { readonly type: 'stringMap' }
            ? Readonly<Record<string, string>>
            : R extends { readonly type: 'list'; readonly of: infer Of }
              ?
                  | readonly (Of extends Rule ? NonNullable<ValueOf<Of>> : Resolved<Of>)[]
                  | R['default']
              : R extends { readonly type: 'group'; readonly of: infer Of }
                ? Resolved<Of> | undefined
                : R extends { readonly type: 'clients'; readonly value?: infer T }
                  ? T
                  : R extends { readonly value?: infer T }
                    ? T | R['default']
                    : never
