/** How the sentence ends that says that an endpoint is none: whoever waits for it to be mended goes by that. */
export const noJsonWords = "and no JSON; check base_url";
