// resource-server/ publishes this file's types, so it imports none that need oidc-provider.

/** What one option must be. `undefined` always means absent. */
export type Rule =
  | { type: 'boolean'; default: boolean | undefined }
  | { type: 'integer'; min: number; max: number; default: number | undefined }
  | { type: 'scope' | 'path' | 'resource'; default: string }
  | { type: 'text' | 'url'; default: string | undefined }
  | { type: 'oneOf'; values: readonly string[]; default: string }
  | { type: 'clientRule'; default: readonly string[] }
  | { type: 'stringMap'; default: Readonly<Record<string, string>> }
  | { type: 'someOf'; values: readonly string[]; default: readonly string[] }
  | ClientsRule<unknown>
  | FunctionRule<unknown>
  | SchemaRule<unknown>
  | ObjectRule<unknown>

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

export interface FunctionRule<T> {
  readonly type: 'function'
  readonly default: undefined
  readonly value?: T
}

export interface SchemaRule<T> {
  readonly type: 'schema'
  readonly default: undefined
  readonly value?: T
}

export interface ObjectRule<T> {
  readonly type: 'object'
  readonly method: string
  readonly default: undefined
  readonly value?: T
}

/** A rule for an object of the type `T`: for each action, which clients may do it by default. */
export function clientsRule<T>(
  defaults: Readonly<Record<keyof T & string, readonly string[]>>,
): ClientsRule<T> {
  return { type: 'clients', default: defaults }
}

/** A rule for a function of the type `T`. The check sees that it is a function, and no more. */
export function functionRule<T>(): FunctionRule<T> {
  return { type: 'function', default: undefined }
}

/** A rule for a validator of the type `T`: a function or a Standard Schema. */
export function schemaRule<T>(): SchemaRule<T> {
  return { type: 'schema', default: undefined }
}

/** A rule for an object of the type `T`. The check sees that it has the method, and no more. */
export function objectRule<T>(method: keyof T & string): ObjectRule<T> {
  return { type: 'object', method, default: undefined }
}

/** What the options of a shape are once they are checked and every default is filled in. */
export type Resolved<S> = {
  readonly [Name in keyof S]: S[Name] extends Rule ? ValueOf<S[Name]> : Resolved<S[Name]>
}

type ValueOf<R extends Rule> = R extends { readonly type: 'boolean' }
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
            : R extends { readonly type: 'clients'; readonly value?: infer T }
              ? T
              : R extends { readonly value?: infer T }
                ? T | undefined
                : never
