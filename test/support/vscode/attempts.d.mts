export function untilDone<T>(what: string, deadline: number, attempt: () => Promise<T>, now?: () => number): Promise<T>;
