"""The engines that read pages, one file each; none is imported before it is asked for."""
