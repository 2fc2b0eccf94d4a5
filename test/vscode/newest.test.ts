/** The main job in the newest VS Code that the tests know. */
import { mainJob } from "./main-job";

mainJob("newest");
