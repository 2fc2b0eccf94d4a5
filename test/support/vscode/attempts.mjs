// Tries again what may fail because something else took the focus, and tells of every failure when it gives up.

/**
 * What `attempt` resolves to, tried again after each failure until one comes after `deadline` (milliseconds since 1970). The
 * error then has the last failure as its cause, and names those before it, each different one once with how often it came.
 */
export async function untilDone(what, deadline, attempt, now = Date.now) {
    const earlier = new Map();
    for (let tried = 1; ; tried++) {
        try {
            return await attempt();
        } catch (error) {
            const said = String(error?.message ?? error).split("\n")[0];
            if (now() <= deadline) {
                earlier.set(said, (earlier.get(said) ?? 0) + 1);
                continue;
            }
            const before = [...earlier].map(([words, times]) => `\n  ${times} × ${words}`).join("");
            throw new Error(`${what} failed ${tried} times, at last: ${said}${before === "" ? "" : `\nBefore that:${before}`}`, { cause: error });
        }
    }
}
