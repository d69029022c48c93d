// lib/helpers/grants came with 9.12.0, and has had its present names since 9.12.2. Node resolves
// imports before any code runs, so no check can run in an older version. Node's own error names
// the file that imports, so the name of this file is the instruction.
export * from 'oidc-provider/lib/helpers/grants.js'
