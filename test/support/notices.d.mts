export function bundledPackages(): string[];
export function notices(): string;
