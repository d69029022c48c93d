import { createHash } from 'node:crypto';
import { limitTime } from '../../shared/time-limit.js';
export function script(source) {
    return { source, sha: createHash('sha1').update(source).digest('hex') };
}
/**
 * Sends commands by the client. A late reply rejects.
 *
 * @param caller the function that has `client` as an option, for errors
 * @param timeoutMs how long a reply may take, in milliseconds; by default without limit
 * @throws TypeError when the client is of no known shape
 */
export function commandSender(client, caller, timeoutMs) {
    const send = unlimitedSender(client, caller);
    if (timeoutMs === undefined)
        return send;
    const tooLate = () => new Error(`Redis did not answer within ${timeoutMs} ms`);
    return async (args, key) => limitTime(timeoutMs, send(args, key), tooLate);
}
/** EVALSHA, and EVAL where the server does not know the script yet. All keys are of one slot. */
export async function runScript(send, { sha, source }, keys, args) {
    const rest = [String(keys.length), ...keys, ...args];
    try {
        return await send(['EVALSHA', sha, ...rest], keys[0]);
    }
    catch (error) {
        if (!hasCode(error, 'NOSCRIPT'))
            throw error;
        return send(['EVAL', source, ...rest], keys[0]);
    }
}
/** Whether the server refused a command for this reason: the `code` of an error, or its first word. */
export function hasCode(error, code) {
    if (!(error instanceof Error))
        return false;
    return ('code' in error && error.code === code) || error.message.startsWith(`${code} `);
}
function unlimitedSender(client, caller) {
    if (typeof client === 'function')
        return client;
    // ioredis has a sendCommand too, of another kind, so `call` decides.
    if ('call' in client && typeof client.call === 'function') {
        return ([command = '', ...args]) => client.call(command, ...args);
    }
    refuseSeveralServers(client, caller);
    if ('sendCommand' in client && typeof client.sendCommand === 'function') {
        return (args) => client.sendCommand(args);
    }
    throw new TypeError(`${caller}: client must be a node-redis client, an ioredis client or a function ` +
        '(args, key) => Promise that sends one command');
}
/**
 * Their `sendCommand` takes other arguments than that of a single connection, and fails on them at the
 * first command.
 *
 * @throws TypeError for what createSentinel() or createCluster() of node-redis made
 */
function refuseSeveralServers(client, caller) {
    const refuse = (maker, ownFunction) => {
        throw new TypeError(`${caller}: client is what ${maker} of node-redis made: give a function instead, ${ownFunction}`);
    };
    if ('getRandomNode' in client) {
        refuse('createCluster()', '(args, key) => cluster.sendCommand(key, false, args)');
    }
    if ('getSentinelNode' in client) {
        refuse('createSentinel()', '(args) => sentinel.sendCommand(false, args)');
    }
}
